// Can you shatter it? Points that can be added, dragged and removed, every partition of
// them that a small tree realizes, and tasks.
(() => {
  "use strict";
  const T = window.treebounds;
  const SIZE = 100; // of the plane: coordinates are whole numbers from 0 to 100
  const LEAST = 2,
    MOST = 6; // points
  const TREES = { stump: "a stump", chain: "a chain of two nodes" };
  const NUMBERS = { 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven" };
  // Those for four points of a stump, and for six of a chain, cannot be done.
  const TASKS = [
    ["stump", 3],
    ["stump", 4],
    ["chain", 4],
    ["chain", 5],
    ["chain", 6],
  ].map(([tree, m]) => ({ tree, features: 2, m }));
  const asTask = ({ tree, m }) =>
    `Shatter ${NUMBERS[m]} points on two features by ${TREES[tree]}.`;

  // Masks of examples. A partition into two parts is the mask of the part without the
  // first example.
  const part = (mask, all) => (mask & 1 ? mask ^ all : mask);

  // All the ways to cut a set of points: one for each feature and gap between different
  // values.
  function cutsOf(points, features) {
    const cuts = [];
    for (let feature = 0; feature < features; feature++) {
      const values = [...new Set(points.map((p) => p[feature]))].sort((a, b) => a - b);
      for (let i = 1; i < values.length; i++) {
        const threshold = (values[i - 1] + values[i]) / 2;
        let low = 0;
        points.forEach((p, j) => {
          if (p[feature] < threshold) low |= 1 << j;
        });
        cuts.push({ feature, threshold, low });
      }
    }
    return cuts;
  }

  // Every partition into two parts that the tree realizes, with cuts that do it.
  function realized(points, features, tree) {
    const all = (1 << points.length) - 1,
      cuts = cutsOf(points, features),
      found = new Map();
    const add = (ones, how) => {
      const mask = part(ones, all);
      if (mask && !found.has(mask)) found.set(mask, how);
    };
    for (const cut of cuts) add(cut.low, [cut]);
    if (tree === "stump") return found;
    for (const root of cuts) {
      for (const leaf of [root.low, root.low ^ all]) {
        // one side of the root is a leaf, the other is cut again
        for (const cut of cuts) {
          const inner = cut.low & ~leaf;
          // up to the exchange of the labels: the leaf with one part of the other side,
          // or a part alone
          for (const ones of [inner, inner | leaf])
            add(ones, [root, { ...cut, beyond: leaf === root.low ? "high" : "low" }]);
        }
      }
    }
    return found;
  }

  function* permutations(items) {
    if (items.length < 2) {
      yield items;
      return;
    }
    for (let i = 0; i < items.length; i++) {
      for (const rest of permutations([...items.slice(0, i), ...items.slice(i + 1)]))
        yield [items[i], ...rest];
    }
  }
  // A sample with the most partitions: the first feature lists the examples in order,
  // the second is searched.
  const best = new Map();
  function bestSample(m, features, tree) {
    const key = `${m}|${features}|${tree}`;
    if (best.has(key)) return best.get(key);
    const at = (rank) => Math.round(10 + (80 * rank) / (m - 1)),
      order = Array.from({ length: m }, (_, i) => i);
    let winner = null,
      most = -1;
    for (const ranks of permutations(order)) {
      const points = order.map((i) => [at(i), at(ranks[i])]),
        count = realized(points, features, tree).size;
      if (count > most) {
        most = count;
        winner = points;
      }
      if (features === 1 || most === 2 ** (m - 1) - 1) break;
    }
    best.set(key, { points: winner, count: most });
    return best.get(key);
  }

  T.picture("shatter", (live, data, width) => {
    const START = [
      [20, 22],
      [40, 41],
      [62, 58],
      [82, 80],
      [55, 48],
      [30, 88],
    ];
    let state = {
        tree: "stump",
        features: 2,
        points: START.slice(0, 4).map((p) => [...p]),
      },
      selected = null,
      found = new Map();
    let drag = null,
      dragTo = null,
      task = null;
    // States before the last changes; moves of one point that follow each other are one
    // change.
    const past = [];
    let lastMove = null;
    const address = T.address("shatter");
    const choices = {
      m: T.choice("Points", { 2: "2", 3: "3", 4: "4", 5: "5", 6: "6" }, 4, (m) => {
        const points = state.points.slice(0, m);
        while (points.length < m) points.push([...START[points.length]]);
        change({ points });
      }),
      features: T.choice(
        "Features",
        { 1: "one feature", 2: "two features" },
        2,
        (features) => change({ features: Number(features) }),
      ),
      tree: T.choice("Tree", TREES, "stump", (tree) => change({ tree })),
    };
    const message = T.html("p", { class: "message", role: "alert" }),
      counter = T.html("p", { class: "results", role: "status" });
    const plane = T.html("div", { class: "plane" }),
      thumbs = T.html("div", {
        class: "thumbs",
        role: "group",
        "aria-label": "Partitions",
      });
    const snap = T.button("Best sample", () =>
      change({
        points: bestSample(state.points.length, state.features, state.tree).points.map(
          (p) => [...p],
        ),
      }),
    );
    const undo = T.button("Undo", () => back(), { "data-undo": "", disabled: "" });
    const next = T.button(
      "Give me a task",
      () => setTask(task === null ? 0 : (task + 1) % TASKS.length),
      { "data-task": "" },
    );
    const asked = T.html("p", { class: "task results", role: "status" });
    live.append(
      T.html(
        "div",
        { class: "p-row" },
        T.html("span", {}, "Points"),
        choices.m.element,
        choices.features.element,
        choices.tree.element,
        snap,
        undo,
        next,
      ),
      message,
      counter,
      asked,
      T.html(
        "div",
        { class: "panels results" },
        plane,
        T.html(
          "div",
          {},
          T.html(
            "p",
            { class: "hint" },
            "Each small square is a partition of the points into two parts. Bright: some tree realizes it. Point at one to see the cuts. A press into the plane adds a point; the numbers above and the key Delete take points away.",
          ),
          thumbs,
        ),
      ),
    );
    live.addEventListener("keydown", (event) => {
      if (event.key !== "z" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      back();
    });

    const allMasks = () =>
      Array.from({ length: 2 ** (state.points.length - 1) - 1 }, (_, i) => 2 * (i + 1));
    const inPart = (mask, i) => (mask >> i) & 1;

    function drawPlane() {
      const s = Math.min(360, width(), plane.clientWidth || 360),
        pad = 14,
        scale = (s - 2 * pad) / SIZE;
      const x = (v) => pad + v * scale,
        y = (v) => s - pad - v * scale,
        flat = state.features === 1;
      const how = selected === null ? null : found.get(selected);
      const place = (p) => [x(p[0]), flat ? s / 2 : y(p[1])];
      const lines = [];
      (how ?? []).forEach(({ feature, threshold, beyond }, i) => {
        const span = [
          [0, SIZE],
          [0, SIZE],
        ]; // the part of the plane that the cut divides
        if (beyond) {
          const root = how[0];
          span[root.feature] =
            beyond === "high" ? [root.threshold, SIZE] : [0, root.threshold];
          if (root.feature === feature) span[1 - feature] = [0, SIZE];
        }
        const other = span[1 - feature];
        lines.push(
          feature === 0
            ? T.line(
                x(threshold),
                flat ? s / 2 - 40 : y(other[0]),
                x(threshold),
                flat ? s / 2 + 40 : y(other[1]),
                { class: `orange-line${i ? " dashed" : ""}` },
              )
            : T.line(x(other[0]), y(threshold), x(other[1]), y(threshold), {
                class: `orange-line${i ? " dashed" : ""}`,
              }),
        );
      });
      const where = (event) => {
        const box = plane.firstChild.getBoundingClientRect(),
          unit = box.width / s;
        return [
          ((event.clientX - box.left) / unit - pad) / scale,
          (s - pad - (event.clientY - box.top) / unit) / scale,
        ];
      };
      dragTo = (event) => {
        const [px, py] = where(event);
        moveTo(drag, px, flat ? state.points[drag][1] : py);
      };
      T.refill(
        plane,
        T.canvas(
          s,
          s,
          "The points; drag them, or move them with the arrow keys",
          T.svg("rect", {
            x: 1,
            y: 1,
            width: s - 2,
            height: s - 2,
            class: "axis",
            "pointer-events": "all",
            "data-plane": "",
            onclick: (event) => add(...where(event)),
          }),
          T.text(s / 2, s - 4, "feature 1", { "text-anchor": "middle", class: "mute" }),
          flat
            ? T.line(pad, s / 2, s - pad, s / 2, { class: "axis" })
            : T.text(14, s / 2, "feature 2", {
                "text-anchor": "middle",
                class: "mute",
                transform: `rotate(-90 14 ${s / 2})`,
              }),
          lines,
          state.points.map((p, i) => {
            const [cx, cy] = place(p),
              dark = selected !== null && inPart(selected, i);
            return T.svg(
              "g",
              {
                class: "draggable",
                tabindex: 0,
                role: "slider",
                "data-key": `point-${i}`,
                "data-point": i,
                "aria-label": `Point ${i + 1}`,
                "aria-valuenow": p[0],
                "aria-valuemin": 0,
                "aria-valuemax": SIZE,
                "aria-valuetext": flat ? `${p[0]}` : `${p[0]}, ${p[1]}`,
                onpointerdown: (event) => {
                  drag = i;
                  lastMove = null;
                  plane.setPointerCapture(event.pointerId);
                  event.currentTarget.focus();
                  event.preventDefault();
                },
                onkeydown: (event) => {
                  if (event.key === "Delete" || event.key === "Backspace") {
                    event.preventDefault();
                    remove(i);
                    return;
                  }
                  const step = {
                    ArrowLeft: [-2, 0],
                    ArrowRight: [2, 0],
                    ArrowUp: [0, 2],
                    ArrowDown: [0, -2],
                  }[event.key];
                  if (!step) return;
                  event.preventDefault();
                  moveTo(i, p[0] + step[0], p[1] + step[1]);
                },
              },
              T.svg("circle", { cx, cy, r: 20, fill: "transparent" }),
              T.svg("circle", {
                cx,
                cy,
                r: 10,
                class: dark ? "blue" : "open mute-line",
              }),
              T.text(cx, cy + 4, i + 1, {
                "text-anchor": "middle",
                class: dark ? "on-color" : "",
              }),
            );
          }),
        ),
      );
    }

    // The drawing is made anew at every step of a drag, so the drag belongs to the
    // element around it.
    plane.addEventListener("pointermove", (event) => {
      if (drag !== null) dragTo(event);
    });
    for (const end of ["pointerup", "pointercancel"])
      plane.addEventListener(end, () => {
        drag = null;
      });

    function moveTo(i, px, py) {
      const points = state.points.map((p) => [...p]);
      points[i] = onGrid(px, py);
      if (points[i][0] === state.points[i][0] && points[i][1] === state.points[i][1])
        return;
      change({ points }, i);
    }
    const onGrid = (...point) => point.map((v) => Math.round(T.clamp(v, 0, SIZE)));
    function add(px, py) {
      if (state.points.length < MOST)
        change({ points: [...state.points, onGrid(px, py)] });
    }
    function remove(i) {
      if (state.points.length > LEAST)
        change({ points: state.points.filter((_, j) => j !== i) });
      plane
        .querySelector(`[data-point="${Math.min(i, state.points.length - 1)}"]`)
        .focus();
    }
    function setTask(number) {
      task = number;
      const { tree, features, m } = TASKS[task];
      next.textContent = "Another task";
      change({ tree, features, points: START.slice(0, m).map((p) => [...p]) });
    }

    function drawThumbs() {
      const masks = allMasks(),
        side = masks.length > 15 ? 46 : 60,
        flat = state.features === 1;
      T.refill(
        thumbs,
        masks.map((mask, index) => {
          const fine = found.has(mask),
            pick = () => {
              if (selected !== mask) {
                selected = mask;
                drawPlane();
                mark();
              }
            };
          return T.html(
            "button",
            {
              type: "button",
              class: `thumb${fine ? " lit" : ""}`,
              "data-mask": mask,
              "data-key": `mask-${mask}`,
              tabindex: (selected ?? 2) === mask ? 0 : -1,
              "aria-label": `${state.points
                .map((_, i) => i + 1)
                .filter((i) => inPart(mask, i - 1))
                .join(", ")} against the rest: ${fine ? "realized" : "not realized"}`,
              onpointerenter: pick,
              onfocus: pick,
              onclick: pick,
              onkeydown: (event) => {
                const step = {
                  ArrowRight: 1,
                  ArrowDown: 1,
                  ArrowLeft: -1,
                  ArrowUp: -1,
                }[event.key];
                if (!step) return;
                event.preventDefault();
                thumbs.children[T.clamp(index + step, 0, masks.length - 1)].focus();
              },
            },
            T.svg(
              "svg",
              {
                viewBox: "0 0 100 100",
                width: side,
                height: side,
                "aria-hidden": "true",
              },
              state.points.map((p, i) =>
                T.svg("circle", {
                  cx: 10 + 0.8 * p[0],
                  cy: flat ? 50 : 90 - 0.8 * p[1],
                  r: 9,
                  class: inPart(mask, i) ? "blue" : "open mute-line",
                }),
              ),
            ),
          );
        }),
      );
      mark();
    }
    function mark() {
      for (const thumb of thumbs.children) {
        const here = Number(thumb.dataset.mask) === selected;
        thumb.setAttribute("aria-pressed", String(here));
        if (selected !== null) thumb.tabIndex = here ? 0 : -1;
      }
    }

    function draw() {
      const { points, features, tree } = state,
        m = points.length,
        all = 2 ** (m - 1) - 1,
        bound = data[tree][features - 1][m - 2];
      found = realized(points, features, tree);
      const whose =
          tree === "stump" ? "Theorem 7 allows" : "The bound for this shape allows",
        most = bestSample(m, features, tree).count;
      counter.replaceChildren(
        T.html("span", { class: "number", "data-count": "" }, String(found.size)),
        ` of ${all} partitions. ${whose} `,
        T.html("span", { class: "number", "data-bound": "" }, String(bound)),
        `; the best of all samples of ${m} points has `,
        T.html("span", { class: "number", "data-most": "" }, String(most)),
        ".",
        found.size === all ? T.html("strong", {}, " Shattered.") : "",
      );
      tellTask(found.size === all, most === all);
      for (const [name, value] of Object.entries({ m, features, tree }))
        choices[name].set(value);
      drawPlane();
      drawThumbs();
    }

    // The task, and what was learned once it is done, or cannot be.
    function tellTask(isShattered, canBe) {
      const given = task === null ? null : TASKS[task],
        { points, features, tree } = state,
        m = points.length;
      const isOpen =
        given && given.tree === tree && given.features === features && given.m === m;
      if (!isOpen) {
        asked.replaceChildren(given ? `Your task: ${asTask(given)}` : "");
        return;
      }
      const more = m < MOST && bestSample(m + 1, features, tree).count === 2 ** m - 1;
      const learned = more
        ? ` Can ${NUMBERS[m + 1]} points be shattered, too?`
        : ` No ${NUMBERS[m + 1]} points can be: ${m} is the VC dimension.`;
      const impossible =
        found.size === bestSample(m, features, tree).count
          ? " This is as far as one gets: no sample of this size is shattered."
          : "";
      asked.replaceChildren(
        `Your task: ${asTask(given)}`,
        T.html(
          "strong",
          {},
          isShattered ? ` Done.${learned}` : canBe ? "" : impossible,
        ),
      );
    }

    function checked({ m, features, tree, points }) {
      if (!Object.hasOwn(TREES, tree))
        throw T.wrong("tree", `There is no tree "${tree}" here, but stump and chain`);
      if (features !== 1 && features !== 2)
        throw T.wrong(
          "features",
          `The number of features must be 1 or 2, not ${features}`,
        );
      const count = m ?? points.length;
      if (!(Number.isInteger(count) && count >= LEAST && count <= MOST))
        throw T.wrong(
          "points",
          `The number of points must be a whole number from ${LEAST} to ${MOST}, not ${count}`,
        );
      points.forEach((p, i) => {
        if (
          p.length !== 2 ||
          !p.every((v) => Number.isInteger(v) && v >= 0 && v <= SIZE)
        ) {
          throw T.wrong(
            "points",
            `Point ${i + 1} must be two whole numbers from 0 to ${SIZE}, not ${p.join(", ")}`,
          );
        }
      });
    }
    function apply(next) {
      return T.guarded({ message }, live, () => {
        checked(next);
        const { m, ...rest } = next;
        state = {
          ...rest,
          points:
            m === undefined
              ? rest.points
              : Array.from({ length: m }, (_, i) => rest.points[i] ?? [...START[i]]),
        };
        if (selected !== null && selected >= 2 ** state.points.length) selected = null;
        draw();
      });
    }
    // Change the state; `moved` is the point, if nothing but one point has moved.
    function change(part, moved = null) {
      const before = state;
      if (!apply({ ...state, ...part })) return;
      if (moved === null || moved !== lastMove) past.push(before);
      lastMove = moved;
      written();
    }
    function back() {
      if (!past.length) return;
      lastMove = null;
      apply(past.pop());
      written();
    }
    function written() {
      undo.disabled = !past.length;
      address.write({
        tree: state.tree,
        features: state.features,
        points: state.points.map((p) => p.join(",")).join(";"),
      });
    }
    function fromAddress(given) {
      apply({
        tree: given.tree ?? state.tree,
        features:
          given.features === undefined ? state.features : Number(given.features),
        points:
          given.points === undefined
            ? state.points
            : given.points
                .split(";")
                .map((p) =>
                  p.split(",").map((v) => (v.trim() === "" ? NaN : Number(v))),
                ),
        m: given.m === undefined ? undefined : Number(given.m),
      });
    }
    draw();
    address.follow(fromAddress);
    return {
      draw,
      set: (part) => {
        apply({ ...state, ...part });
        return [...found.keys()].sort((a, b) => a - b);
      },
      best: () => {
        snap.click();
        return found.size;
      },
      cuts: (mask) => found.get(mask),
    };
  });
})();
