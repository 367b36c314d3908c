// A price per leaf moves over one tree: what it cuts, and the line that rolls over the
// hull of all prunings. The tree may be one that is grown here, on a table of the
// reader's own, which never leaves the page, or one that the library wrote.
(() => {
  "use strict";
  const T = window.treebounds;
  const COLORS = ["blue", "orange", "green", "purple", "amber"];
  const OWN = "your own";
  const SAME = 1e-9; // costs closer than this are equal: ties go to the smaller tree

  // The cheapest pruning at a price: errors + price * leaves; among equals the one with
  // the fewest leaves.
  function prune({ left, right, errors }, price) {
    const n = left.length,
      cost = new Array(n),
      leaves = new Array(n),
      wrong = new Array(n),
      cut = new Array(n).fill(false);
    for (let node = n - 1; node >= 0; node--) {
      // children come after their parents
      const l = left[node],
        r = right[node];
      cost[node] = errors[node] + price;
      leaves[node] = 1;
      wrong[node] = errors[node];
      if (l < 0) continue;
      if (cost[node] <= cost[l] + cost[r] + SAME) cut[node] = true;
      else {
        cost[node] = cost[l] + cost[r];
        leaves[node] = leaves[l] + leaves[r];
        wrong[node] = wrong[l] + wrong[r];
      }
    }
    return { cost: cost[0], leaves: leaves[0], errors: wrong[0], cut };
  }

  // Corners of the lower hull of (leaves, fewest errors), and from which price on each
  // is the smallest best one.
  function hull(fewest) {
    const corners = [];
    fewest.forEach((errors, i) => {
      const point = { leaves: i + 1, errors };
      while (corners.length > 1) {
        const [a, b] = corners.slice(-2);
        if (
          (b.errors - a.errors) * (point.leaves - a.leaves) <
          (point.errors - a.errors) * (b.leaves - a.leaves)
        )
          break;
        corners.pop();
      }
      if (!corners.length || errors < corners[corners.length - 1].errors)
        corners.push(point);
    });
    corners.forEach((corner, i) => {
      const next = corners[i + 1];
      corner.from = next
        ? (corner.errors - next.errors) / (next.leaves - corner.leaves)
        : 0;
      corner.to = i ? corners[i - 1].from : Infinity;
    });
    return corners;
  }

  // ---- a table of the reader's own --------------------------------------------------

  const MOST = { rows: 5000, cells: 100000, classes: 20 };
  const oops = (text) => T.wrong("table", text);
  const count = (n, one, more = `${one}s`) => `${n} ${n === 1 ? one : more}`;

  // The cells of a text with a separator and, where it needs them, quotation marks.
  function cells(text, separator) {
    const rows = [[""]];
    let quoted = false;
    for (let i = 0; i < text.length; i++) {
      const row = rows[rows.length - 1],
        c = text[i];
      if (quoted && c === '"' && text[i + 1] === '"') {
        row[row.length - 1] += '"';
        i++;
      } else if (c === '"' && (quoted || row[row.length - 1].trim() === ""))
        quoted = !quoted;
      else if (!quoted && c === separator) row.push("");
      else if (!quoted && c === "\n") rows.push([""]);
      else if (c !== "\r") row[row.length - 1] += c;
    }
    return rows
      .map((row) => row.map((cell) => cell.trim()))
      .filter((row) => row.some((cell) => cell !== ""));
  }

  // How the cells of a table are read as numbers. "1,5" and "1234,5" can only have a
  // decimal mark, but the mark of "1,234" may stand between thousands.
  function numbersOf(rows, separator) {
    const shows = (mark) => {
      const sure = new RegExp(
        `^[+-]?(\\d*[${mark}](\\d{1,2}|\\d{4,})|(0?|\\d{4,})[${mark}]\\d+)$`,
      );
      return rows.some((row) => row.some((cell) => sure.test(cell)));
    };
    const comma = shows(","),
      dot = shows("."),
      withDot = (cell) => cell.replace(",", ".");
    const read =
      comma && !dot
        ? (cell) => (cell.includes(".") ? NaN : Number(withDot(cell)))
        : separator === ";" && comma === dot
          ? (cell) => Number(withDot(cell))
          : Number;
    return (cell) => (cell === "" ? NaN : read(cell));
  }

  // Spreadsheets may write columns behind the last one in which all cells are empty.
  function withoutEmptyEnd(rows) {
    const width = rows.reduce(
      (most, row) => Math.max(most, row.findLastIndex((cell) => cell !== "") + 1),
      0,
    );
    return rows.map((row) => row.slice(0, width));
  }

  // Names and rows of a pasted text: the separator is the one that the first line has
  // most often.
  function readTable(text) {
    const head = text
        .replace(/^\ufeff/, "")
        .trim()
        .split("\n")[0],
      pieces = (mark) => head.split(mark).length;
    const separator = ["\t", ";", ","].reduce((best, mark) =>
      pieces(mark) > pieces(best) ? mark : best,
    );
    const [names, ...rows] = withoutEmptyEnd(
      cells(text.replace(/^\ufeff/, ""), separator),
    );
    if (!rows.length || names.length < 2)
      throw oops(
        "The table needs a line of names, at least two columns, and a line for each example",
      );
    if (rows.length > MOST.rows)
      throw oops(
        `The table has ${rows.length} examples; this page takes up to ${MOST.rows}`,
      );
    if (rows.length * names.length > MOST.cells)
      throw oops(
        `The table has ${rows.length * names.length} cells; this page takes up to ${MOST.cells}`,
      );
    const odd = rows.findIndex((row) => row.length !== names.length);
    if (odd >= 0)
      throw oops(
        `Example ${odd + 1} has ${count(rows[odd].length, "cell")}, not ${names.length}`,
      );
    return { names, rows, number: numbersOf(rows, separator) };
  }

  // The examples for one column as the class. Columns that do not hold numbers are left
  // out, and examples without a class.
  function examplesOf({ names, rows, number }, target) {
    const kept = rows.filter((row) => row[target] !== ""),
      classes = [...new Set(kept.map((row) => row[target]))].sort();
    if (classes.length < 2)
      throw oops(
        `The class "${names[target]}" must have at least two different values`,
      );
    if (classes.length > MOST.classes)
      throw oops(
        `The class "${names[target]}" has ${classes.length} different values; it may have up to ${MOST.classes}`,
      );
    const others = names.map((_, i) => i).filter((i) => i !== target);
    const features = others.filter((i) =>
      kept.every((row) => Number.isFinite(number(row[i]))),
    );
    if (!features.length) throw oops("No other column has a number in each line");
    // Names may be numbers, as pandas gives them, but then they are whole, and the name
    // of the class is not one of its values.
    const first = features.map((i) => number(names[i])),
      isExample = classes.includes(names[target]) || !first.every(Number.isInteger);
    if (isExample && first.every(Number.isFinite))
      throw oops("The first line must have the names of the columns; it has numbers");
    const label = new Map(classes.map((name, i) => [name, i]));
    return {
      X: kept.map((row) => features.map((i) => number(row[i]))),
      y: kept.map((row) => label.get(row[target])),
      classes,
      features: features.map((i) => names[i]),
      left: others.filter((i) => !features.includes(i)).map((i) => names[i]),
      withoutClass: rows.length - kept.length,
    };
  }

  // The cut with the smallest Gini impurity, summed over both sides: the largest sum of
  // squared counts, divided by sizes.
  function bestCut(X, y, rows, n) {
    let best = { gain: -Infinity };
    for (let feature = 0; feature < X[0].length; feature++) {
      const order = [...rows].sort((a, b) => X[a][feature] - X[b][feature]),
        low = new Array(n).fill(0),
        high = new Array(n).fill(0);
      let squaresLow = 0,
        squaresHigh = 0;
      for (const i of order) squaresHigh += 2 * high[y[i]]++ + 1;
      for (let k = 1; k < order.length; k++) {
        const c = y[order[k - 1]];
        squaresLow += 2 * low[c]++ + 1;
        squaresHigh -= 2 * high[c]-- - 1;
        const [a, b] = [X[order[k - 1]][feature], X[order[k]][feature]],
          gain = squaresLow / k + squaresHigh / (order.length - k);
        if (a < b && gain > best.gain)
          best = {
            gain,
            feature,
            threshold: a + (b - a) / 2 < b ? a + (b - a) / 2 : a,
          };
      }
    }
    return best;
  }

  // A tree that is grown until its leaves are pure or cannot be cut; children come
  // after their parents.
  function grow(X, y, n, rows) {
    const tree = {
      left: [],
      right: [],
      errors: [],
      labels: [],
      examples: [],
      feature: [],
      threshold: [],
    };
    const open = [{ rows, parent: null }];
    while (open.length) {
      const { rows: here, parent, side } = open.pop(),
        node = tree.left.length,
        counts = new Array(n).fill(0);
      for (const i of here) counts[y[i]]++;
      const most = Math.max(...counts),
        cut = most < here.length ? bestCut(X, y, here, n) : { gain: -Infinity };
      const isInner = cut.gain > -Infinity;
      for (const [name, value] of Object.entries({
        left: -1,
        right: -1,
        errors: here.length - most,
        labels: counts.indexOf(most),
        examples: here.length,
        feature: isInner ? cut.feature : -1,
        threshold: isInner ? cut.threshold : 0,
      }))
        tree[name].push(value);
      if (parent !== null) tree[side][parent] = node;
      if (!isInner) continue;
      const isLow = (i) => X[i][cut.feature] <= cut.threshold;
      open.push(
        { rows: here.filter((i) => !isLow(i)), parent: node, side: "right" },
        { rows: here.filter(isLow), parent: node, side: "left" },
      );
    }
    return tree;
  }

  // The fewest errors of prunings with 1, 2, ... leaves.
  function fewestErrors({ left, right, errors }) {
    const best = new Array(left.length);
    for (let node = left.length - 1; node >= 0; node--) {
      if (left[node] < 0) {
        best[node] = [errors[node]];
        continue;
      }
      const [a, b] = [best[left[node]], best[right[node]]],
        both = new Array(a.length + b.length).fill(Infinity);
      both[0] = errors[node];
      a.forEach((one, i) =>
        b.forEach((other, j) => {
          both[i + j + 1] = Math.min(both[i + j + 1], one + other);
        }),
      );
      best[node] = both;
      best[left[node]] = best[right[node]] = null;
    }
    return best[0];
  }

  // Errors of each node, if it were a leaf, on examples that did not grow the tree.
  function errorsOn(tree, X, y, rows) {
    const wrong = new Array(tree.left.length).fill(0);
    for (const i of rows) {
      for (let node = 0; node >= 0;) {
        wrong[node] += tree.labels[node] !== y[i];
        node =
          tree.left[node] < 0
            ? -1
            : X[i][tree.feature[node]] <= tree.threshold[node]
              ? tree.left[node]
              : tree.right[node];
      }
    }
    return wrong;
  }

  // The price of one more leaf in the loose form of the bound, in training errors; the
  // error prior is 2^-13.7.
  const knownPrice = (leaves, m, l, n) =>
    (Math.log(2 * l * (2 * m - leaves)) + Math.log(n) + 0.9096) /
    (0.5 + 13.7 * Math.LN2);

  // What the picture shows of a table: a quarter of the examples, drawn at random, is
  // held out.
  function ofTable(table, target) {
    const { X, y, classes, features, left, withoutClass } = examplesOf(table, target),
      random = T.random(0),
      order = y.map((_, i) => i);
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    const test = order.slice(0, Math.floor(order.length / 4)),
      rows = order.slice(test.length),
      tree = grow(X, y, classes.length, rows);
    const fewest = fewestErrors(tree);
    return {
      ...tree,
      fewest,
      validated: [],
      known: knownPrice(fewest.length, rows.length, features.length, classes.length),
      test: { rows: test.length, errors: errorsOn(tree, X, y, test) },
      rows,
      features,
      leftOut: left,
      withoutClass,
    };
  }

  // ---- a tree of the reader's own ---------------------------------------------------

  // The tree of a document of treebounds.formats.to_json, with its nodes in preorder.
  function readTree(text) {
    let document;
    try {
      document = JSON.parse(text);
    } catch {
      throw oops("The text begins like JSON, and is not");
    }
    const { nodes, n_features: features = document.feature_names?.length } = document;
    if (!Array.isArray(nodes) || !nodes.length || !Number.isInteger(features))
      throw oops(
        "A tree needs nodes and n_features, as treebounds.formats.to_json writes them",
      );
    const byId = new Map(nodes.map((node, i) => [node.id ?? i, node])),
      inOrder = [];
    const walk = (id, parent, side) => {
      const node = byId.get(id);
      if (!node) throw oops(`The tree has no node ${id}, or two nodes lead to it`);
      byId.delete(id);
      if ("categories" in node)
        throw oops("This page takes trees with thresholds, not with categories");
      const at = inOrder.push({ node, left: -1, right: -1 }) - 1;
      if (parent !== null) inOrder[parent][side] = at;
      if ("left" in node) {
        walk(node.left, at, "left");
        walk(node.right, at, "right");
      }
    };
    const children = new Set(
      nodes.flatMap((node) => ("left" in node ? [node.left, node.right] : [])),
    );
    walk(
      [...byId.keys()].find((id) => !children.has(id)),
      null,
    );
    return { inOrder, features };
  }

  // What the picture shows of it. Counts that stand at the leaves alone are added up.
  function ofTree({ inOrder, features }) {
    const counts = inOrder.map(({ node }) => node.class_counts),
      add = (a, b) => a.map((count, i) => count + b[i]);
    for (let i = inOrder.length - 1; i >= 0; i--)
      if (inOrder[i].left >= 0)
        counts[i] = add(counts[inOrder[i].left], counts[inOrder[i].right]);
    if (
      !counts.every(
        (of) =>
          Array.isArray(of) &&
          of.length > 1 &&
          of.every((count) => Number.isInteger(count) && count >= 0),
      )
    )
      throw oops(
        "This page takes trees with at least two classes whose class_counts are whole numbers",
      );
    const examples = counts.map((of) => of.reduce((a, b) => a + b, 0)),
      errors = counts.map((of, i) => examples[i] - Math.max(...of));
    const tree = {
      left: inOrder.map((at) => at.left),
      right: inOrder.map((at) => at.right),
      errors,
      labels: counts.map((of) => of.indexOf(Math.max(...of))),
      examples,
    };
    const fewest = fewestErrors(tree);
    return {
      ...tree,
      fewest,
      validated: [],
      known: knownPrice(fewest.length, examples[0], features, counts[0].length),
      features,
    };
  }

  const place = ({ left, right }) =>
    T.layout(0, (node) => (left[node] < 0 ? [] : [left[node], right[node]]));

  T.picture("price-slider", (live, data, width) => {
    const names = Object.keys(data),
      address = T.address("price-slider");
    for (const set of Object.values(data))
      Object.assign(set, { corners: hull(set.fewest), places: place(set) });
    let name = names[0];
    // From 0.1 to 100 errors, or farther, so that each corner is best at some price.
    const lowest = () => {
      let price = 0.1;
      while (price >= data[name].corners.at(-1).to) price /= 10;
      return price;
    };
    const highest = () => {
      let price = 100;
      while (price <= data[name].corners[0].from) price *= 10;
      return price;
    };
    const inRange = (price) => T.clamp(price, lowest(), highest());
    const choices = () =>
      T.choice(
        "Data set",
        Object.fromEntries(Object.keys(data).map((key) => [key, key])),
        name,
        (key) => {
          name = key;
          toKnown();
        },
      );
    let choice = choices();
    const controls = T.controls(
      [
        {
          name: "price",
          label: "Price of a leaf, in errors",
          min: lowest,
          max: highest,
          value: Number(data[name].known.toPrecision(3)),
          log: true,
        },
      ],
      () => changed(),
    );
    const ticks = T.html("div", { class: "ticks results" }),
      said = T.html("p", { class: "results", "data-said": "" });
    const tree = T.html("div", {}),
      plot = T.html("div", {}),
      panels = T.html("div", { class: "panels results" }, tree, plot);
    const toKnown = () => {
      controls.set({ price: Number(inRange(data[name].known).toPrecision(6)) });
      changed();
    };
    const known = T.button("the known price", toKnown),
      row = T.html("div", { class: "p-row" }, choice.element, known);
    const task = T.html("p", { class: "results", "data-task": "", role: "status" });
    live.append(
      row,
      controls.element,
      ticks,
      controls.message,
      said,
      task,
      panels,
      ownTable(),
    );

    // Where the reader pastes a table, or opens one.
    function ownTable() {
      const text = T.html("textarea", {
        name: "table",
        rows: 5,
        spellcheck: "false",
        oninput: () => take(),
      });
      const file = T.html("input", {
        type: "file",
        accept: ".csv,.tsv,.txt,.json,text/csv,application/json",
        onchange: () => open(),
      });
      const target = T.html("select", { name: "class" }),
        told = T.html("p", { role: "status", "data-told": "" });
      const problem = T.html("p", { class: "message", role: "alert" });
      const start = T.button("Grow a tree", () => use(), {
        disabled: "",
        "data-grow": "",
      });
      const targets = T.html("label", {}, "The class ", target);
      let table = null,
        given = null; // a table or a tree
      const guarded = (act) => {
        problem.textContent = told.textContent = "";
        try {
          act();
        } catch (error) {
          if (!error.field) throw error;
          problem.textContent = `${error.message}.`;
        }
        start.disabled = !table && !given;
        start.textContent = given ? "Take this tree" : "Grow a tree";
        targets.hidden = given !== null;
      };
      const take = () =>
        guarded(() => {
          table = given = null;
          target.replaceChildren();
          if (text.value.trim() === "") return;
          if (text.value.trim().startsWith("{")) {
            given = readTree(text.value);
            return;
          }
          table = readTable(text.value);
          target.append(
            ...table.names.map((column, i) => T.html("option", { value: i }, column)),
          );
          target.value = table.names.length - 1;
        });
      const open = async () => {
        if (!file.files.length) return;
        text.value = await file.files[0].text();
        take();
      };
      const use = () =>
        guarded(() => {
          const set = given ? ofTree(given) : ofTable(table, Number(target.value));
          data[OWN] = Object.assign(set, {
            corners: hull(set.fewest),
            places: place(set),
          });
          name = OWN;
          choice = choices();
          row.replaceChildren(choice.element, known);
          told.textContent = given
            ? `A tree with ${count(set.fewest.length, "leaf", "leaves")}, grown on ${count(set.examples[0], "example")} with ${count(set.features, "feature")}.`
            : [
                `Grown on ${count(set.rows.length, "example")} with ${count(set.features.length, "feature")}: ${count(set.fewest.length, "leaf", "leaves")}.`,
                `${count(set.test.rows, "example is", "examples are")} held out.`,
                set.withoutClass
                  ? `${count(set.withoutClass, "line has", "lines have")} no class, and ${set.withoutClass === 1 ? "is" : "are"} left out.`
                  : "",
                set.leftOut.length
                  ? `Left out, for not every line has a number there: ${set.leftOut.join(", ")}.`
                  : "",
              ]
                .filter(Boolean)
                .join(" ");
          toKnown();
        });
      return T.html(
        "details",
        { class: "own" },
        T.html("summary", {}, "A table or a tree of your own"),
        T.html(
          "p",
          {},
          "Paste a table, or open a file: a line of names, then a line for each example, with commas, semicolons or tabs between the cells. Or paste a tree as treebounds.formats.to_json writes it. It stays in this page.",
        ),
        T.html("label", {}, "The table or tree ", text),
        T.html(
          "div",
          { class: "p-row" },
          T.html("label", {}, "A file ", file),
          targets,
          start,
        ),
        problem,
        told,
      );
    }

    function drawTicks(set, price) {
      const w = width(),
        h = 46,
        low = lowest(),
        high = highest(),
        x = (p) => 8 + (Math.log(inRange(p) / low) / Math.log(high / low)) * (w - 16);
      const decades = Math.round(Math.log10(high / low)),
        marks = Array.from({ length: decades + 1 }, (_, i) => low * 10 ** i)
          .flatMap((p) => (decades > 4 ? [p] : [p, 3 * p]))
          .map((p) => Number(p.toPrecision(1)))
          .filter((p) => p <= high);
      ticks.replaceChildren(
        T.canvas(
          w,
          h,
          "Prices: a tick for each cross-validated choice, a diamond for the known price",
          T.line(8, 16, w - 8, 16, { class: "axis" }),
          marks.map((p) =>
            T.text(x(p), 40, p, {
              "text-anchor": p === low ? "start" : p === high ? "end" : "middle",
              class: "mute",
            }),
          ),
          set.validated.map((p) =>
            T.line(x(p), 8, x(p), 24, { class: "mute-line", opacity: 0.55 }),
          ),
          T.svg("path", { d: `M${x(set.known)} 7l7 9l-7 9l-7 -9z`, class: "orange" }),
          T.svg("path", { d: `M${x(price)} 14l6 -12h-12z`, class: "blue" }),
        ),
      );
    }

    function drawTree(set, best) {
      const { nodes, leaves, height } = set.places,
        at = new Map(nodes.map((n) => [n.item, n])),
        w = Math.min(width(), tree.clientWidth || width()),
        h = 300;
      const dx = (w - 24) / Math.max(1, leaves - 1),
        dy = (h - 40) / Math.max(1, height);
      const x = (n) => (leaves > 1 ? 12 + at.get(n).x * dx : w / 2),
        y = (n) => 16 + at.get(n).depth * dy;
      const edges = [],
        marks = [];
      const walk = (node, kept) => {
        const inner = set.left[node] >= 0,
          leaf = kept && (!inner || best.cut[node]);
        for (const child of inner ? [set.left[node], set.right[node]] : []) {
          const stays = kept && !leaf;
          edges.push(
            T.line(x(node), y(node), x(child), y(child), {
              class: stays ? "mute-line" : "pale-line",
            }),
          );
          walk(child, stays);
        }
        if (leaf) {
          const r = 5 + 13 * Math.sqrt(set.examples[node] / set.examples[0]),
            wrong = set.errors[node];
          marks.push(
            T.svg("rect", {
              x: x(node) - r,
              y: y(node) - r,
              width: 2 * r,
              height: 2 * r,
              class: COLORS[set.labels[node] % 5],
            }),
          );
          if (wrong)
            marks.push(
              T.text(x(node), y(node) + 4, wrong, {
                "text-anchor": "middle",
                class: r > 7 ? "on-color" : "strong",
                dx: r > 7 ? 0 : r + 6,
              }),
            );
        } else
          marks.unshift(
            T.svg("circle", {
              cx: x(node),
              cy: y(node),
              r: kept ? 3.5 : 2,
              class: kept ? "mute-fill" : "pale",
            }),
          );
      };
      walk(0, true);
      tree.replaceChildren(
        T.canvas(
          w,
          h,
          `The tree at this price: ${best.leaves} leaves, ${best.errors} training errors`,
          edges,
          marks,
        ),
      );
    }

    function drawPlot(set, price, best) {
      const w = Math.min(width(), plot.clientWidth || width()),
        h = 300,
        { fewest, corners } = set;
      const maxX = fewest.length + 0.5,
        maxY = fewest[0] * 1.06 || 1;
      const { x, y, parts } = T.axes(w, h, maxX, maxY, "leaves", "training errors");
      const intercept = best.cost; // errors = cost - price * leaves
      // the line inside the box
      const from = Math.max(0, (intercept - maxY) / price),
        to = Math.min(maxX, intercept / price);
      const points = fewest.map((errors, i) => ({ leaves: i + 1, errors }));
      T.refill(
        plot,
        T.canvas(
          w,
          h,
          "Fewest errors of the prunings with each number of leaves, their lower hull, and the line of this price",
          parts,
          T.path(
            corners.map((c) => [x(c.leaves), y(c.errors)]),
            { class: "mute-line" },
          ),
          points.map((p) =>
            T.svg("circle", {
              cx: x(p.leaves),
              cy: y(p.errors),
              r: 2.6,
              class: "mute-fill",
            }),
          ),
          T.path(
            [
              [x(from), y(intercept - price * from)],
              [x(to), y(intercept - price * to)],
            ],
            { class: "blue-line" },
          ),
          corners.map((c) => {
            const here = c.leaves === best.leaves;
            return T.pressable(
              {
                "data-key": `corner-${c.leaves}`,
                "data-leaves": c.leaves,
                "aria-label": `The pruning with ${c.leaves} leaves and ${c.errors} errors: take a price at which it is best`,
              },
              () => {
                const top = Math.min(c.to, highest()),
                  bottom = Math.max(c.from, lowest());
                controls.set({ price: Number(Math.sqrt(top * bottom).toPrecision(6)) });
                changed();
              },
              T.svg("circle", {
                cx: x(c.leaves),
                cy: y(c.errors),
                r: 11,
                fill: "transparent",
              }),
              T.svg("circle", {
                cx: x(c.leaves),
                cy: y(c.errors),
                r: here ? 7 : 4.5,
                class: here ? "orange" : "open mute-line",
              }),
            );
          }),
        ),
      );
    }

    let shown = null;
    function draw() {
      const set = data[name];
      shown = null;
      T.guarded(controls, live, () => {
        const { price } = controls.read(),
          best = prune(set, price);
        shown = {
          leaves: best.leaves,
          errors: best.errors,
          cost: best.cost,
          cut: best.cut,
        };
        drawTicks(set, price);
        drawTree(set, best);
        drawPlot(set, price, best);
        said.replaceChildren(
          "Best of all prunings at this price: ",
          T.html(
            "span",
            { class: "number" },
            `${count(best.leaves, "leaf", "leaves")}, ${count(best.errors, "error")}`,
          ),
          `, cost ${best.errors} + ${T.fixed(price, 2)} · ${best.leaves} = ${T.fixed(best.cost, 2)}. The known price is ${T.fixed(set.known, 2)}`,
          set.validated.length
            ? `; of ${set.validated.length} cross-validated choices, ${set.validated.filter((p) => p > set.known).length} are higher.`
            : ".",
          ...heldOut(set, best),
        );
        task.replaceChildren(
          "Your task: find the price from which on one leaf is left.",
          best.leaves === 1
            ? T.html(
                "strong",
                {},
                ` Done: it is ${T.fixed(set.corners[0].from, 2)} errors.`,
              )
            : "",
        );
      });
      known.disabled = false;
    }
    // The errors of a pruning on the examples that were held out.
    function heldOut(set, best) {
      if (!set.test?.rows) return [];
      let wrong = 0;
      for (const open = [0]; open.length;) {
        const node = open.pop();
        if (set.left[node] < 0 || best.cut[node]) wrong += set.test.errors[node];
        else open.push(set.left[node], set.right[node]);
      }
      return [
        set.test.rows === 1
          ? " Of the one example that was held out it gets "
          : ` Of the ${set.test.rows} examples that were held out it gets `,
        T.html("span", { class: "number", "data-held-out": "" }, String(wrong)),
        " wrong.",
      ];
    }
    function changed() {
      draw();
      choice.set(name);
      if (shown && name !== OWN)
        address.write({ set: name, price: live.querySelector("[name=price]").value });
    }
    function fromAddress(state) {
      let problem = "";
      if (Object.hasOwn(data, state.set ?? "")) name = state.set;
      else if (state.set)
        problem = `There is no data set "${state.set}" here; this is ${name}`;
      if (state.price !== undefined) controls.set({ price: state.price });
      choice.set(name);
      draw();
      if (problem && shown) controls.message.textContent = `${problem}.`;
    }
    draw();
    address.follow(fromAddress);
    return {
      draw,
      set: ({ set, price }) => {
        if (set !== undefined) name = set;
        if (price !== undefined) controls.set({ price });
        changed();
        return shown;
      },
      shown: () => shown,
      table: () => data[OWN],
    };
  });
})();
