/**
 * Draws, at development time, all that the brand shows: the khatam star, its tiling, and dotted maps with arcs.
 * The output under src/gen and public is committed, so that neither build nor browser needs d3 or the atlas.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { geoContains, geoMercator, geoNaturalEarth1 } from 'd3-geo';
import { feature } from 'topojson-client';
import { locations } from '../src/pages/landing/locations.ts';

const atlas = createRequire(import.meta.url).resolve('world-atlas/land-50m.json');
const topology = JSON.parse(fs.readFileSync(atlas, 'utf8'));
const land = feature(topology, topology.objects.land);
const cities = {
  tehran: [51.39, 35.69],
  frankfurt: [8.68, 50.11],
  amsterdam: [4.9, 52.37],
  istanbul: [28.98, 41.01],
  helsinki: [24.94, 60.17],
  dubai: [55.27, 25.2],
};

const windowMap = drawMap({ scale: 385, tehranAt: [470, 392], width: 640, height: 640, clipRadius: 312 });
const stripMap = drawMap({ scale: 276, tehranAt: [300, 210], width: 900, height: 320 });
const mark = star(12, 12, 11.4, 1.6, 0.6);

write('src/gen/star.ts', { mark, star: star(320, 320, 318, 34, 16), starInner: star(320, 320, 300, 32, 15) });
write('src/gen/window-map.ts', {
  dots: windowMap.dots,
  city: windowMap.city,
  arcs: arcsFromTehran(windowMap.city, ['frankfurt', 'amsterdam', 'helsinki', 'istanbul', 'dubai']),
});
write('src/gen/strip-map.ts', {
  dots: stripMap.dots,
  city: { tehran: stripMap.city.tehran, frankfurt: stripMap.city.frankfurt },
  arc: arc(stripMap.city.tehran, stripMap.city.frankfurt, 0.3),
});
write('src/gen/world-map.ts', drawWorld());
writeGirih();
writeIcons();

/** An eight-point star {8/2}; with radii its outer and inner corners are rounded. */
function star(cx, cy, radius, outerRound = 0, innerRound = 0) {
  const points = Array.from({ length: 16 }, (_, i) => {
    const angle = (Math.PI / 8) * i;
    const r = i % 2 ? radius * 0.7654 : radius;
    return [cx + r * Math.sin(angle), cy - r * Math.cos(angle)];
  });
  const at = (point) => point.map(round).join(' ');
  if (!outerRound) return `M${points.map(at).join('L')}Z`;
  const corner = (_, i) => {
    const corner = points[i];
    const inset = i % 2 ? innerRound : outerRound;
    const start = towards(corner, points[(i + 15) % 16], inset);
    const end = towards(corner, points[(i + 1) % 16], inset);
    return `${i ? 'L' : 'M'}${at(start)}Q${at(corner)} ${at(end)}`;
  };
  return `${points.map(corner).join('')}Z`;
}

function towards(from, to, distance) {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  return [from[0] + ((to[0] - from[0]) * distance) / length, from[1] + ((to[1] - from[1]) * distance) / length];
}

function drawMap({ scale, tehranAt, width, height, clipRadius }) {
  const projection = geoMercator().scale(scale).translate([0, 0]);
  const [x, y] = projection(cities.tehran);
  projection.translate([tehranAt[0] - x, tehranAt[1] - y]);
  const inside = (px, py) => !clipRadius || Math.hypot(px - width / 2, py - height / 2) < clipRadius;
  return {
    dots: dotted(width, height, 12.5, 10.8, (x, y) => inside(x, y) && geoContains(land, projection.invert([x, y]))),
    city: Object.fromEntries(
      Object.entries(cities).map(([name, coordinates]) => [name, projection(coordinates).map(round)]),
    ),
  };
}

/**
 * Land as dots on a hexagonal grid: each run of dots is one line, drawn with round caps and a dash array of `0 step`,
 * which costs a tenth of a stroke per dot.
 */
function dotted(width, height, step, rowHeight, isLand) {
  let path = '';
  for (let row = 0, y = rowHeight * 0.58; y < height; row++, y += rowHeight) {
    let start;
    for (let x = row % 2 ? step / 2 : 0; x <= width + step; x += step) {
      const on = x <= width && isLand(x, y);
      if (on) start ??= x;
      else if (start !== undefined) {
        path += `M${round(start)} ${round(y)}h${round(x - step - start) || '.1'}`;
        start = undefined;
      }
    }
  }
  return path;
}

/** The inhabited world for the demonstration. */
function drawWorld() {
  const step = 10;
  const [width, height] = [980, 468];
  const projection = geoNaturalEarth1().scale(183).translate([460, 280]);
  const at = (longitude, latitude) => projection([longitude, latitude]).map(Math.round);
  return {
    width,
    height,
    step,
    dots: dotted(width, height, step, 9, (x, y) => geoContains(land, projection.invert([x, y]))),
    tehran: at(...cities.tehran),
    positions: Object.fromEntries(locations.map(({ key, longitude, latitude }) => [key, at(longitude, latitude)])),
  };
}

function arcsFromTehran(city, names) {
  return Object.fromEntries(names.map((name) => [name, arc(city.tehran, city[name], name === 'dubai' ? 0.2 : 0.3)]));
}

function arc([x1, y1], [x2, y2], lift) {
  const rise = Math.hypot(x2 - x1, y2 - y1) * lift;
  const middle = [(x1 + x2) / 2 + (y2 - y1) * lift * 0.35, (y1 + y2) / 2 - rise];
  return `M${x1} ${y1}Q${middle.map(round).join(' ')} ${x2} ${y2}`;
}

function write(file, values) {
  const lines = Object.entries(values).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)} as const;`,
  );
  fs.writeFileSync(target(file), `// Generated by scripts/gen-map.mjs\n${lines.join('\n')}\n`);
}

/** The star-and-cross tiling as a background, one stroke colour per theme. */
function writeGirih() {
  const tile = (stroke) =>
    `url("data:image/svg+xml,${encodeURIComponent(
      `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 120 120'><path d='${star(60, 60, 60)}' fill='none' stroke='${stroke}'/></svg>`,
    )}")`;
  fs.writeFileSync(
    target('src/gen/girih.css'),
    `/* Generated by scripts/gen-map.mjs */\n:root { --girih: ${tile('rgb(38 52 110 / .11)')}; }\n[data-theme='dark'] { --girih: ${tile('rgb(150 190 255 / .07)')}; }\n`,
  );
}

function writeIcons() {
  const svg = (inner) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${inner}</svg>\n`;
  const spark = '<circle cx="12" cy="12" r="3.1" fill="#f5b342"/>';
  const adaptive = '<style>path{fill:#1a357e}@media(prefers-color-scheme:dark){path{fill:#2a93b5}}</style>';
  fs.writeFileSync(target('public/icon.svg'), svg(`${adaptive}<path d="${mark}"/>${spark}`));
  const inset = `<g transform="translate(4.8 4.8) scale(.6)"><path d="${mark}" fill="#5fdcd2"/>${spark}</g>`;
  fs.writeFileSync(target('public/icon-maskable.svg'), svg(`<path d="M0 0h24v24H0z" fill="#10255f"/>${inset}`));
}

function target(file) {
  return new URL(`../${file}`, import.meta.url);
}

function round(value) {
  return Number(value.toFixed(1));
}
