// SPDX-License-Identifier: GPL-2.0-or-later
// Draws each figure.chart of a page with uPlot, from the JSON object in it (frontend/output/chart.cpp).
(() => {
  "use strict";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const charts = [];  // {plot, data, place} of each figure
  const hidden = new Set();  // numbers of the lines that are switched off, in all plots of the page

  const figure = value => value >= 100 ? value.toFixed(0) : value.toFixed(1);
  const colour = line => dark.matches ? line.dark : line.light;

  function shape(pen, kind, x, y, r) {
    pen.beginPath();
    if (kind === 0) pen.arc(x, y, r, 0, 2 * Math.PI);
    else if (kind === 1) pen.rect(x - r, y - r, 2 * r, 2 * r);
    else if (kind === 2) { pen.moveTo(x, y - 1.3 * r); pen.lineTo(x + 1.2 * r, y + r); pen.lineTo(x - 1.2 * r, y + r); }
    else { pen.moveTo(x, y - 1.3 * r); pen.lineTo(x + 1.3 * r, y); pen.lineTo(x, y + 1.3 * r); pen.lineTo(x - 1.3 * r, y); }
    pen.closePath();
    pen.fill();
  }

  function stroke(pen, points) {
    pen.beginPath();
    points.forEach(([x, y], n) => n ? pen.lineTo(x, y) : pen.moveTo(x, y));
    pen.stroke();
  }

  /// What uPlot does not draw: the medium's limit, points with their confidence, published values, knees, the break of an axis.
  function extras(u, data) {
    const pen = u.ctx, dot = devicePixelRatio, {left, top, width, height} = u.bbox;
    const x = v => u.valToPos(v, "x", true), y = v => u.valToPos(v, "y", true);
    pen.save();
    pen.setLineDash([]);
    pen.lineWidth = dot;
    pen.font = 12 * dot + "px sans-serif";
    pen.strokeStyle = pen.fillStyle = dark.matches ? "#aaa" : "#777";
    const floor = top + height;
    const broken = data.from > 0 ? [[0, 4], [-7, 7], [7, 13], [0, 16]].map(([right, up]) => [left + right * dot, floor - up * dot]) : [];
    stroke(pen, [[left, floor], ...broken, [left, top]]);
    pen.beginPath();
    pen.rect(left - 6 * dot, top - 6 * dot, width + 12 * dot, height + 12 * dot);
    pen.clip();
    pen.setLineDash([3 * dot, 4 * dot]);
    if (data.limit !== undefined) {
      stroke(pen, [[left, y(data.limit)], [left + width, y(data.limit)]]);
      pen.textAlign = "right";
      pen.fillText(data.limitName + ": " + figure(data.limit), left + width - 4 * dot, y(data.limit) - 5 * dot);
    }
    if (data.all) stroke(pen, [[x(0), y(0)], [x(1e6), y(1e6)]]);
    const taken = new Set();
    data.lines.forEach((line, n) => {
      if (!u.series[n + 1].show) return;
      pen.globalAlpha = u.series[n + 1].alpha ?? 1;
      pen.strokeStyle = pen.fillStyle = colour(line);
      pen.lineWidth = 1.5 * dot;
      if (line.knee !== undefined) {
        const at = x(line.knee);
        pen.setLineDash([2 * dot, 3 * dot]);
        stroke(pen, [[at, y(Math.min(line.knee, data.to))], [at, floor]]);
        pen.beginPath();
        pen.moveTo(at, floor); pen.lineTo(at + 5 * dot, floor - 8 * dot); pen.lineTo(at - 5 * dot, floor - 8 * dot);
        pen.fill();
      }
      pen.setLineDash([]);
      u.data[0].forEach((where, c) => {
        const value = line.values[c], mark = line.marks[c], within = line.within[c], at = x(where);
        if (value !== null && line.points) shape(pen, line.shape, at, y(value), 3.5 * dot);
        if (value !== null && within > 0)
          for (const part of [[[at, y(value + within)], [at, y(value - within)]],
                              ...[within, -within].map(w => [[at - 4 * dot, y(value + w)], [at + 4 * dot, y(value + w)]])])
            stroke(pen, part);
        if (mark !== null && mark !== undefined) {
          const r = 4 * dot, up = y(mark);
          let to = at;  // a published value that coincides with another is drawn slightly to the right
          for (; taken.has(to + "," + Math.round(up / r)); to += 5 * dot);
          taken.add(to + "," + Math.round(up / r));
          stroke(pen, [[to - r, up - r], [to + r, up + r]]);
          stroke(pen, [[to - r, up + r], [to + r, up - r]]);
        }
      });
    });
    pen.restore();
  }

  function values(data, line) {
    return (u, v, s, at) => {
      if (at === null || at === undefined || v === null || v === undefined)
        return line.knee === undefined ? "" : "knee at " + figure(line.knee);
      let text = v.toFixed(1);
      if (line.within[at] > 0) text += " ± " + line.within[at].toFixed(1);
      if (line.marks[at] !== null && line.marks[at] !== undefined) text += ", published " + line.marks[at].toFixed(1);
      return text;
    };
  }

  function draw(chart) {
    const {data, place} = chart;
    if (chart.plot) chart.plot.destroy();
    const named = data.categories.flatMap((name, n) => name ? [n] : []);
    const numeric = data.at.length > 0, last = data.categories.length - 1;
    const ink = dark.matches ? "#ccc" : "#333", grid = {stroke: dark.matches ? "#3a3a3a" : "#ddd", width: 1};
    const at = n => numeric ? data.at[n] : n;
    // On the axis of a plot over time only the middle of each size has a name.
    const category = n => data.categories[n] || data.categories[named.reduce((a, b) => Math.abs(b - n) < Math.abs(a - n) ? b : a, named[0])];
    const axes = [
      {label: data.x, stroke: ink, grid: numeric ? grid : {show: false}, ticks: grid},
      {label: data.y + (data.from > 0 ? " (from " + data.from + ")" : ""), stroke: ink, grid, ticks: grid, size: 62,
       splits: () => {
         const marks = [];
         for (let n = 0; data.from + n * data.step <= data.to * 1.0001; ++n) marks.push(data.from + n * data.step);
         return marks;
       }, values: (u, marks) => marks.map(value => "" + +value.toPrecision(12))}];
    if (numeric) {
      axes[0].values = (u, marks) => marks.map(value => "" + value);
    } else {
      axes[0].splits = () => named;
      axes[0].values = () => named.map(n => data.categories[n]);
    }
    const plot = new uPlot({
      title: data.title, width: Math.max(320, place.clientWidth), height: 430,
      cursor: {focus: {prox: 20}, y: false},
      focus: {alpha: 0.25},
      scales: {x: {time: false, range: numeric ? () => [0, at(last) * 1.04] : (u, from, to) => from === 0 && to === last ? [-0.5, last + 0.5] : [from, to]},
               y: {range: [data.from, data.to]}},
      axes,
      series: [{label: data.x, value: (u, v, s, n) => n === null || n === undefined ? "" : numeric ? "" + v : category(n)},
               ...data.lines.map(line => ({
                 label: (line.points ? "●■▲◆"[line.shape] + " " : "") + line.name, stroke: colour(line), width: 2, show: !hidden.has(line.number), points: {show: false},
                 dash: line.dashes === "none" ? undefined : line.dashes.split(" ").map(Number), value: values(data, line)}))],
      hooks: {
        draw: [u => extras(u, data)],
        setSeries: [(u, n, change) => {
          if (change.show === undefined || n === null) return;
          const number = data.lines[n - 1].number;
          if (hidden.has(number) === !change.show) return;
          change.show ? hidden.delete(number) : hidden.add(number);
          for (const other of charts)
            other.data.lines.forEach((line, m) => {
              if (line.number === number && other.plot && other.plot !== u) other.plot.setSeries(m + 1, {show: change.show});
            });
        }]}
    }, [data.categories.map((_, n) => at(n)), ...data.lines.map(line => line.values)], place);
    chart.plot = plot;
  }

  for (const figure of document.querySelectorAll("figure.chart")) {
    const place = figure.appendChild(document.createElement("div"));
    charts.push({data: JSON.parse(figure.querySelector("script").textContent), place});
    figure.classList.add("drawn");
  }
  const all = () => charts.forEach(draw);
  all();
  dark.addEventListener("change", all);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    for (const {plot, place} of charts) plot.setSize({width: Math.max(320, place.clientWidth), height: plot.height});
  });
})();
