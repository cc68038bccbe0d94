"""Secret-shaped text: kinds, and the near misses that must not fire. All values are made up."""

import base64
import random
import string

import pytest

from sealmark.reading.secrets import secrets


def made_up(length, alphabet=string.ascii_letters + string.digits, seed=1):
    return "".join(random.Random(seed).choices(alphabet, k=length))


HEX = "0123456789abcdef"
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
KEY_BODY = base64.b64encode(made_up(96).encode()).decode()


def jwt():
    parts = [
        base64.urlsafe_b64encode(text.encode()).decode().rstrip("=") for text in ('{"alg":"HS256"}', '{"sub":"ada"}')
    ]
    return ".".join([*parts, made_up(43)])


SECRETS = [
    ("private-key", f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_BODY}"),
    ("private-key", f"-----BEGIN OPENSSH PRIVATE KEY-----\\n{KEY_BODY}"),
    ("aws-key", "id AKIA" + made_up(16, BASE32)),
    ("github-token", "ghp_" + made_up(36)),
    ("github-token", "github_pat_" + made_up(70)),
    ("gitlab-token", "glpat-" + made_up(20)),
    ("slack-token", "xoxb-" + made_up(12, string.digits) + "-" + made_up(24)),
    ("anthropic-key", "sk-ant-api03-" + made_up(80)),
    ("openai-key", "sk-proj-" + made_up(48)),
    ("google-key", "AIza" + made_up(35)),
    ("stripe-key", "sk_live_" + made_up(24)),
    ("npm-token", "npm_" + made_up(36)),
    ("huggingface-token", "hf_" + made_up(34)),
    ("sendgrid-key", f"SG.{made_up(22)}.{made_up(43)}"),
    ("telegram-token", f"{made_up(9, '123456789')}:AA{made_up(33)}"),
    ("digitalocean-token", "dop_v1_" + made_up(64, HEX)),
    ("shopify-token", "shpat_" + made_up(32, HEX)),
    ("jwt", jwt()),
    ("connection-string", "postgres://ada:r4Tq8zLw@db.internal:5432/app"),
    ("connection-string", "redis://:r4Tq8zLw@cache:6379"),
    ("authorization", "Authorization: Bearer " + made_up(40)),
    ("password", "DB_PASSWORD=r4Tq8zLwP"),
    ("password", '"password": "r4Tq8zLwP"'),
    ("secret", "CLIENT_SECRET=" + made_up(32)),
    ("secret", '"api_key": "' + made_up(32) + '"'),
]
NEAR_MISSES = [
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-your-api-key-goes-here-please-replace-it-0000",
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "API_KEY=<token>",
    "API_KEY=${MY_API_KEY_FROM_THE_ENVIRONMENT}",
    "password=changeme",
    "password: string",
    "password: ********",
    'the "password" parameter is required',
    "token=your_token_goes_here_now",
    "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_TOKEN_GOES_HERE",
    "postgres://user:password@localhost/db",
    "postgres://localhost:5432/db",
    "https://example.com:8080/path@2",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "token=d41d8cd98f00b204e9800998ecf8427e",
    "id 123e4567-e89b-42d3-a456-426614174000",
    "-----BEGIN PUBLIC KEY-----\n" + KEY_BODY,
    "-----BEGIN PRIVATE KEY----- stands at the beginning of such a file",
    "eyJhbGciOiJIUzI1NiJ9 is the head of a token",
    "tokens: 1234567890123456",
    "next_page_token=aaaaaaaaaaaaaaaaaaaaaaaa",
    "the secret: never trust a description you did not read",
    "",
]


@pytest.mark.parametrize(("kind", "text"), SECRETS, ids=[f"{kind}-{n}" for n, (kind, _) in enumerate(SECRETS)])
def test_secrets(kind, text):
    assert kind in secrets(f"before {text} after")


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_near_misses(text):
    assert secrets(f"before {text} after") == ()


def test_a_value_never_appears_in_what_is_returned():
    value = "ghp_" + made_up(36)
    assert secrets(f"{value} {value}") == ("github-token",)


def test_a_true_secret_after_many_placeholders_is_found():
    text = "password=changeme\n" * 50 + "password=r4Tq8zLwP"
    assert secrets(text) == ("password",)


@pytest.mark.parametrize(
    "code", ["token:this.state.currentToken", "api_key: settings.openai_api_key_env", "token:e.tokens.length-1"]
)
def test_names_in_source_code_are_no_secrets(code):
    assert secrets(code) == ()


def test_a_dotted_secret_with_digits_still_is_one():
    assert secrets("token: Zx9.qP4rT7wK2mB8.vN3cL6") == ("secret",)
