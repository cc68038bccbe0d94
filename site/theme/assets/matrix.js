// Sorts and filters the table of servers. Cells carry what they mean as text, so nothing here knows a grade by heart
// but the order of letters.
(function () {
  "use strict";
  var table = document.querySelector("table.matrix");
  var body = table.tBodies[0];
  var rows = Array.prototype.slice.call(body.rows);
  var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
  var chips = document.querySelector(".chips");
  var status = document.querySelector(".matched");
  var LETTERS = "FDCBA";

  function value(row, at) {
    var cell = row.cells[at];
    var kind = heads[at].dataset.sort;
    if (kind === "letter") {
      var place = LETTERS.indexOf(cell.dataset.g || "?");
      return place < 0 ? 9 : place;
    }
    return kind === "day" ? cell.dataset.day : cell.textContent.trim().toLowerCase();
  }

  function compare(a, b) { return a < b ? -1 : a > b ? 1 : 0; }

  function sort(at, falling) {
    var order = rows.map(function (row, place) { return [value(row, at), place, row]; });
    order.sort(function (a, b) {
      var last = heads[at].dataset.sort === "letter" && (a[0] === 9) !== (b[0] === 9);
      return (last ? compare(a[0], b[0]) : (falling ? -1 : 1) * compare(a[0], b[0])) || a[1] - b[1];
    });
    body.append.apply(body, order.map(function (entry) { return entry[2]; }));
    heads.forEach(function (head, place) {
      if (place === at) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }

  heads.forEach(function (head, at) {
    if (!head.dataset.sort) return;
    var button = document.createElement("button");
    button.type = "button";
    button.append.apply(button, Array.prototype.slice.call(head.childNodes));
    head.append(button);
    button.addEventListener("click", function () {
      var now = head.getAttribute("aria-sort");
      sort(at, now ? now === "ascending" : head.dataset.sort === "day");
    });
  });

  function chosen(kind) {
    return Array.prototype.map.call(chips.querySelectorAll('button[data-kind="' + kind + '"][aria-pressed="true"]'), function (chip) {
      return chip.dataset.value;
    });
  }

  function filter() {
    var packs = chosen("pack"), letters = chosen("letter"), from = chosen("ecosystem"), by = chosen("transport"), since = chosen("since");
    var shown = 0;
    rows.forEach(function (row) {
      var cells = Array.prototype.filter.call(row.cells, function (cell) { return cell.dataset.g && (!packs.length || packs.indexOf(cell.dataset.pack) >= 0); });
      var graded = letters.length ? cells.some(function (cell) { return letters.indexOf(cell.dataset.g) >= 0; }) : !packs.length || cells.length > 0;
      var fits = graded && (!from.length || from.indexOf(row.dataset.from) >= 0) && (!by.length || by.indexOf(row.dataset.by) >= 0) && (!since.length || row.dataset.changed >= since[0]);
      row.hidden = !fits;
      shown += fits;
    });
    status.textContent = shown === rows.length ? rows.length + (rows.length === 1 ? " server" : " servers") : shown + " of " + rows.length + " servers";
  }

  chips.hidden = false;
  chips.addEventListener("click", function (event) {
    var chip = event.target.closest("button");
    if (!chip) return;
    if (chip.dataset.kind === "none") {
      chips.querySelectorAll("button[aria-pressed]").forEach(function (other) { other.setAttribute("aria-pressed", "false"); });
    } else {
      var on = chip.getAttribute("aria-pressed") === "true";
      if (chip.dataset.kind === "since") {
        chips.querySelectorAll('button[data-kind="since"]').forEach(function (other) { other.setAttribute("aria-pressed", "false"); });
      }
      chip.setAttribute("aria-pressed", on ? "false" : "true");
    }
    filter();
  });
  filter();
})();
