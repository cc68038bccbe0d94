// Small helpers of every page: scheme, search, copy buttons, opening what an address points at. Nothing is loaded from
// elsewhere, and nothing is written as markup: all texts go in as text.
(function () {
  "use strict";
  var root = document.documentElement;

  function load(address) {
    return new Promise(function (resolve, reject) {
      var script = document.createElement("script");
      script.src = address;
      script.onload = resolve;
      script.onerror = reject;
      document.head.appendChild(script);
    });
  }
  window.sealmarkLoad = load;

  function dark() {
    return root.dataset.scheme ? root.dataset.scheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  window.sealmarkDark = dark;

  var button = document.querySelector(".scheme");
  function name() {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Use light colours" : "Use dark colours");
  }
  button.hidden = false;
  name();
  button.addEventListener("click", function () {
    root.dataset.scheme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("sealmark-scheme", root.dataset.scheme);
    } catch (error) {
      /* the choice holds for this page only */
    }
    name();
    document.dispatchEvent(new Event("sealmark-scheme"));
  });

  var box = document.querySelector(".search");
  var input = box.querySelector("input");
  var found = document.getElementById("found");
  var loading = null;
  var LIMIT = 12;
  box.hidden = false;

  function matches(words) {
    var scored = [];
    window.sealmarkIndex.forEach(function (row) {
      var title = row[1].toLowerCase();
      var all = title + " " + row[2].toLowerCase();
      if (!words.every(function (word) { return all.indexOf(word) >= 0; })) return;
      scored.push([title.indexOf(words[0]) === 0 ? 0 : title.indexOf(words[0]) > 0 ? 1 : 2, row]);
    });
    scored.sort(function (a, b) { return a[0] - b[0]; });
    return scored.map(function (pair) { return pair[1]; });
  }

  function show() {
    var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    found.hidden = words.length === 0;
    if (found.hidden) return;
    var rows = matches(words);
    var note = document.createElement("p");
    note.setAttribute("role", "status");
    note.textContent = rows.length === 0 ? "Nothing found." : rows.length + " found" + (rows.length > LIMIT ? ", the first " + LIMIT + " shown" : "");
    var list = document.createElement("ul");
    rows.slice(0, LIMIT).forEach(function (row) {
      var link = document.createElement("a");
      link.href = box.dataset.root + row[3];
      var title = document.createElement("b");
      title.textContent = row[1];
      var more = document.createElement("span");
      more.textContent = row[0] + " · " + row[2];
      link.append(title, more);
      var item = document.createElement("li");
      item.append(link);
      list.append(item);
    });
    found.append(note, list);
  }

  function search() {
    loading = loading || load(box.dataset.index);
    loading.then(show);
  }
  input.addEventListener("focus", search);
  input.addEventListener("input", search);
  input.addEventListener("keydown", function (event) {
    var first = found.querySelector("a");
    if (event.key === "Enter" && first) first.click();
    if (event.key === "ArrowDown" && first) { event.preventDefault(); first.focus(); }
  });
  box.addEventListener("keydown", function (event) {
    if (event.key === "Escape") { input.value = ""; show(); input.focus(); }
  });
  document.addEventListener("click", function (event) {
    if (!box.contains(event.target)) found.hidden = true;
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      input.focus();
    }
  });

  document.querySelectorAll(".copyable").forEach(function (part) {
    var copy = part.querySelector("button");
    var text = part.querySelector("pre").textContent;
    copy.hidden = false;
    copy.addEventListener("click", function () {
      var done = function () { copy.textContent = "Copied"; setTimeout(function () { copy.textContent = "Copy"; }, 1500); };
      if (navigator.clipboard) return navigator.clipboard.writeText(text).then(done, select);
      select();
    });
    function select() { getSelection().selectAllChildren(part.querySelector("pre")); }
  });

  function reveal() {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (var part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    var rows = target.querySelector(":scope > details.rows, :scope > td > details.rows");
    if (rows) rows.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  reveal();

  if (document.querySelector("table.matrix")) load(box.dataset.root + "assets/matrix.js");
  if (document.querySelector(".chart")) load(box.dataset.root + "assets/charts.js");
})();
