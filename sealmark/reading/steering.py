"""The words with which a text steers a model: one pattern to a line, English first."""

# ruff: noqa: E501, RUF001 - one pattern to a line, and phrases of several languages

from __future__ import annotations

from sealmark.reading.words import alternatives, table

_GAP = r"(?:[\w'’-]{1,30}[ ,]{1,2})"
_URL = r"(?:https?://|www\.)[^\s\"'<>)]{3,200}"
_MAIL = r"[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,63}"
_WHERE = rf"[\"'`<(]?(?:{_URL}|{_MAIL})"
_PRIVATE = (
    r"(?:conversations?|chats?|history|messages?|prompts?|inputs?|outputs?|results?|responses?|contents?|files?|data"
    r"|credentials?|passwords?|keys?|tokens?|secrets?|environment|env|variables?|everything|context|memory|memories"
    r"|emails?|documents?|source code)"
)
_CREDENTIAL_FILE = (
    r"[\"'`<(]?(?:[~/$%.\\]?[\w.%{}$\\/~-]{0,80})?"
    r"(?:\.ssh(?:[/\\][\w.*-]{1,40})?|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\.aws[/\\](?:credentials|config)"
    r"|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b|\.docker[/\\]config\.json|\.kube[/\\]config"
    r"|\.config[/\\]gcloud[\w./\\-]{0,60}|\.gnupg\b|[/\\]etc[/\\](?:shadow|passwd|sudoers)\b|\.cursor[/\\]mcp\.json"
    r"|claude_desktop_config\.json|\.claude\.json|\bwallet\.dat\b|\.env(?:\.[a-z]{2,12})?(?![\w-])"
    r"|\.bash_history\b|\.zsh_history\b|\bcredentials\.json\b)"
)
_ORDER = (
    r"(?:\b(?:you|the (?:model|assistant|agent|ai|llm)|assistants?|agents?) (?:must|should|shall|need to|have to|are to|will|can)"
    r"|\b(?:please|first|firstly|then|next|also|always|must|now|instead|additionally|secretly|silently|quietly|and)"
    r"|^|[,:;>*\])-])[ ,]{0,2}(?:(?:first|also|always|then|silently|secretly|quietly|simply|please) ){0,2}"
)
"""What stands before an order: somebody who must, a word of sequence, or the beginning of a clause."""
_READ_OR_SEND = (
    r"(?:read|open|cat|load|access|get|retrieve|include|send|pass|upload|copy|provide|paste|append|attach|fetch|extract"
    r"|submit|forward|post|print|return|show|dump|find|use)"
)
_SEND = r"(?:send|post|forward|upload|exfiltrate|transmit|submit|leak|copy|email|e-mail|deliver|report|append|ship|stream|mirror|sync)"
_NEVER = r"(?:do not|don't|don’t|never|must not|should not|without|avoid)"
_USER = r"(?:the |any |your )?(?:users?|humans?|operators?|person|anyone)"

OVERRIDE = alternatives(r"""
    \b(?:ignore|disregard|forget|override|bypass|discard)(?:[ ,]{1,2}(?:about|all|any|of|the|your|my|our|every|each|these|those|other|and)){0,5} (?:previous|prior|preceding|earlier|above|foregoing|existing|original|initial|system|safety|user'?s?|developer)(?: (?:and|or|,|system|safety|user|given|previous|prior)){0,3} (?:instructions?|prompts?|rules?|guidelines?|directives?|commands?|messages?|constraints?|restrictions?|requests?|policies|context)\b
    \b(?:ignore|disregard|forget) (?:everything|all|anything)(?: that| of)?(?: (?:you (?:were|have been)|was|is|has been))? (?:told|said|instructed|written|above|before this)\b
    \byour (?:new|real|true|actual) (?:instructions?|task|goal|objective|role|purpose) (?:is|are)\b
    \byou are (?:now|no longer) (?:DAN\b|bound\b|restricted\b|limited by\b|an? (?:\w{1,20} ){0,3}(?:assistant|agent|ai|model|hacker)\b|in (?:developer|debug|god|admin|jailbreak|unrestricted|maintenance) mode)
    (?:^|[>\]#*])\s{0,3}(?:new|updated) (?:system )?(?:instructions?|prompt)\s{0,2}:
    <\|im_(?:start|end|sep)\|>
    <\|(?:system|assistant|user|endoftext|begin_of_text|eot_id|start_header_id)\|>
    \[/?INST\]|<</?SYS>>
    \bignorier(?:e|en|t)(?: sie| alle| bitte| jegliche| die| deine| ihre){0,4} (?:vorherigen?|bisherigen?|vorigen?|obigen?|früheren) (?:anweisungen|instruktionen|regeln|befehle)
    \b(?:ignore[rz]?|oublie[rz]?)(?: toutes)?(?: les| vos| tes)? (?:instructions|consignes|règles)(?: \w{1,12})? (?:précédentes|antérieures|ci-dessus)
    \b(?:ignora|ignore|ignorad|olvida|olvide)(?: todas)?(?: las| tus| sus)? (?:instrucciones|órdenes|reglas) (?:anteriores|previas|precedentes)
    \b(?:ignore|ignora|esqueça|desconsidere)(?: todas)?(?: as| suas)? (?:instruções|ordens|regras) (?:anteriores|prévias|precedentes|acima)
    \b(?:ignora|ignorate|dimentica)(?: tutte)?(?: le| tue)? (?:istruzioni|regole) (?:precedenti|sopra)
    \bnegeer(?: alle| de| je){0,2} (?:vorige|eerdere|voorgaande|bovenstaande) (?:instructies|regels|aanwijzingen)
    \b(?:zignoruj|ignoruj)(?: wszystkie)? (?:poprzednie|wcześniejsze|powyższe) (?:instrukcje|polecenia|zasady)
    \b(?:önceki|yukarıdaki) (?:tüm )?(?:talimatları|komutları) (?:yok say|görmezden gel|unut)
    (?:игнорируй|игнорируйте|проигнорируй|забудь|забудьте)(?: все| любые)?(?: предыдущие| прежние| вышеуказанные) (?:инструкции|указания|команды|правила)
    (?:忽略|无视|無視|忘记|忘記)(?:掉|所有|全部|任何|你)?(?:之前|以前|以上|先前|上述|前面)(?:的)?(?:所有|全部|任何)?(?:的)?(?:指令|指示|说明|說明|提示|命令|规则|規則)
    (?:以前|これまで|上記|前|今まで)の(?:すべての|全ての)?(?:指示|命令|ルール|プロンプト)(?:を|は)(?:すべて|全て)?(?:無視|忘れ)
    (?:이전|위의|앞의)(?:의)? ?(?:모든 )?(?:지시|명령|지침|프롬프트)(?:사항)?(?:을|를|은|는)? ?(?:모두 )?(?:무시|잊)
    (?:تجاهل|انس)(?: جميع| كل)? (?:التعليمات|الأوامر) (?:السابقة|أعلاه)
""")
OVERRIDE_ANCHORS = table("""
    ignor, disregard, forget, override, bypass, discard, your, you are, instruction, prompt, <|, [inst, [/inst, <<sys, <</sys
    oublie, olvid, esque, desconsidere, dimentica, negeer, önceki, yukarıdaki, игнор, забудь, 忽略, 无视, 無視, 忘, 이전, 위의, 앞의
    تجاهل, انس
""")
"""Words in lower case of which a sentence must hold one for OVERRIDE to be tried."""
STEERING = alternatives(rf"""
    \b{_NEVER} (?:ever )?(?:tell|telling|inform|informing|notify|notifying|alert|alerting|warn|warning) (?:this to |it to )?{_USER}\b(?! (?:to|how|if|unless|until|when)\b)
    \b{_NEVER} (?:ever )?(?:mention|mentioning|reveal|revealing|disclose|disclosing|explain|explaining|show|showing|expose) (?:this|that|it|these|any of this|the (?:fact|instructions?|step|steps|call|existence)(?: \w{{1,15}}){{0,4}})(?: instructions?| steps?| calls?| behaviou?r)? to {_USER}\b
    \b(?:hide|conceal|keep) (?:this|that|it|these|all of this|the (?:call|step|instructions?))(?: \w{{1,15}}){{0,3}} from (?:the |your )?(?:users?|humans?|anyone)\b
    \busers? (?:must|should|will|need) (?:not|never) (?:to )?(?:know|be (?:told|informed|aware|notified)|notice|find out|learn)\b
    \busers? must (?:not|never) see\b
    \b(?:silently|secretly|covertly|quietly|without (?:asking|permission|confirmation|the user'?s? knowledge)) (?:send|forward|include|copy|read|execute|upload|add|append|call|post|exfiltrate|bcc)\b
    \bbefore (?:using|calling|invoking|running|executing|you use|you call) (?:this|any|the|other|another|all)(?: \w{{1,20}}){{0,2}} tools?\b[^.!?\n]{{0,80}}?\b(?:read|open|load|access|retrieve|send|forward|upload|include|pass|copy|provide|collect)\b[^.!?\n]{{0,60}}?(?:\b(?:secrets?|api keys?|private keys?|ssh keys?|tokens?|passwords?|credentials?|conversation|chat history|system prompt|environment variables?|wallet)\b|~/|/etc/|\.env\b)
    \b(?:whenever|when|if|every time) (?:\w{{1,24}} ){{1,8}}?(?:calls?|called|uses?|used|invokes?|invoked|asks?|sends?|using|calling)(?: \w{{1,20}}){{0,5}}[,:]? (?:you )?(?:must|always|also)(?: \w{{1,15}}){{0,2}} (?:bcc|cc|forward|copy|redirect|replace the recipient|change the (?:recipient|address|destination))\b
""")
SEND_TO_URL = alternatives(rf"""
    {_ORDER}{_SEND}(?:[ ]{_GAP}{{0,8}}?|[ ]){_PRIVATE}[ ,]{{1,2}}{_GAP}{{0,8}}?(?:to|at|via|with|using)[ ]{_GAP}{{0,4}}?{_WHERE}
    \b{_PRIVATE}[ ]{_GAP}{{0,4}}?(?:must|should|has to|have to|needs? to) be (?:sent|posted|forwarded|uploaded|submitted|copied|reported)[ ]{_GAP}{{0,4}}?(?:to|at)[ ]{_GAP}{{0,3}}?{_WHERE}
""")
CREDENTIAL_PATH = alternatives(rf"""
    {_ORDER}{_READ_OR_SEND}(?:[ ]{_GAP}{{0,10}}?|[ ]){_CREDENTIAL_FILE}
    \b(?:contents?|text|value|data) (?:of|in|from)[ ]{_GAP}{{0,4}}?{_CREDENTIAL_FILE}[\"'`>)]?[ ,]{{1,2}}{_GAP}{{0,8}}?(?:as|in|into|to|via) (?:the |this |a )?[\"'`]?\w{{1,30}}[\"'`]? ?(?:parameter|argument|field|input|header|tool)?
""")
