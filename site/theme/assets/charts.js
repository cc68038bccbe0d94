// Draws the charts of a page. The figures stand in the page as JSON; plotly.js comes from this site, once.
(function () {
  "use strict";
  var base = document.querySelector(".search").dataset.root + "assets/";
  var charts = Array.prototype.slice.call(document.querySelectorAll(".chart"));

  function draw(box) {
    var figure = JSON.parse(box.querySelector("script").textContent);
    var layout = figure.layout;
    layout.template = window.sealmarkCharts.templates[window.sealmarkDark() ? "dark" : "light"];
    var quiet = getComputedStyle(document.documentElement).getPropertyValue("--quiet").trim();
    figure.data.forEach(function (trace) { trace.line.color = quiet; });
    var place = box.querySelector("div");
    place.style.minWidth = layout.margin.l + layout.margin.r + 30 * layout.xaxis.tickvals.length + "px";
    return window.Plotly.react(place, figure.data, layout, { displayModeBar: false, responsive: true }).then(function () {
      box.dataset.drawn = window.sealmarkDark() ? "dark" : "light";
    });
  }

  // plotly.js would add inline style sheets of its own for parts that no chart here uses; it leaves that when an
  // element of their id exists.
  function guard() {
    window.sealmarkCharts.guards.forEach(function (id) {
      var mark = document.createElement("span");
      mark.id = id;
      mark.hidden = true;
      document.body.append(mark);
    });
  }

  window
    .sealmarkLoad(base + "chart-templates.js")
    .then(guard)
    .then(function () { return window.sealmarkLoad(base + "plotly.min.js"); })
    .then(function () { return Promise.all(charts.map(draw)); });
  document.addEventListener("sealmark-scheme", function () { if (window.Plotly) charts.forEach(draw); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () { if (window.Plotly) charts.forEach(draw); });
})();
