import { type KeyboardEvent, type PointerEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { bytes, dayName, number, shortDay } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { smoothPath } from './chart-path.ts';
import { type Frame, levelOf, marksOf, nearestIndex, type Point, padding, xOf, yOf } from './chart-scale.ts';

const HEIGHT = 260;
/** Below this width names of days are shortened. */
const NARROW = 520;

const levels = { high: m.usage_high, medium: m.usage_medium, low: m.usage_low };

/**
 * Usage per day as a line on our own SVG. The pointer, or the arrow keys, choose a day; assistive technology hears it
 * as the value of a slider and can read the whole as a table.
 */
export function UsageChart({ points }: { points: readonly Point[] }) {
  const box = useRef<HTMLDivElement>(null);
  const frame = useFrame(box);
  const [chosen, setChosen] = useState<number>();
  const index = Math.min(chosen ?? points.length - 1, points.length - 1);
  const point = points[index];
  const marks = useMemo(() => marksOf(points), [points]);
  if (!point) return null;

  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event.key, frame.rtl);
    if (step === undefined) return;
    event.preventDefault();
    setChosen(
      Math.max(
        0,
        Math.min(points.length - 1, step === 'first' ? 0 : step === 'last' ? points.length - 1 : index + step),
      ),
    );
  };
  const onPointer = (event: PointerEvent<HTMLDivElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    setChosen(nearestIndex(event.clientX - left, points.length, frame));
  };

  return (
    <div className="relative" dir={frame.rtl ? 'rtl' : 'ltr'}>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={m.usage_chart_label()}
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={index + 1}
        aria-valuetext={sentenceOf(point)}
        className="relative rounded-md touch-pan-y"
        style={{ height: HEIGHT }}
        onKeyDown={onKeyDown}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={() => setChosen(undefined)}
      >
        {frame.width > 0 && <Drawing points={points} marks={marks} frame={frame} index={index} />}
        {frame.width > 0 && (
          <Tooltip point={point} index={index} count={points.length} top={marks.at(-1) ?? 1} frame={frame} />
        )}
      </div>
      <DataTable points={points} />
    </div>
  );
}

interface DrawingProps {
  points: readonly Point[];
  marks: readonly number[];
  frame: Frame;
  index: number;
}

function Drawing({ points, marks, frame, index }: DrawingProps) {
  const gradient = useId();
  const top = marks.at(-1) ?? 1;
  const count = points.length;
  const x = (_point: Point, i: number) => xOf(i, count, frame);
  const y = (point: Point) => yOf(point.gigabytes, top, frame);
  const ground = yOf(0, top, frame);
  const stroke = smoothPath(points.map((point, i) => [x(point, i), y(point)]));
  const filled = `${stroke}V${ground}H${xOf(0, count, frame)}Z`;
  const chosen = points[index];
  return (
    <svg
      aria-hidden
      width={frame.width}
      height={frame.height}
      className="block overflow-visible text-xs"
      direction="ltr"
    >
      <defs>
        <linearGradient id={gradient} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="var(--chart)" stopOpacity=".26" />
          <stop offset="1" stopColor="var(--chart)" stopOpacity="0" />
        </linearGradient>
      </defs>
      <Axis marks={marks} top={top} frame={frame} />
      <Days points={points} frame={frame} index={index} />
      <path d={filled} fill={`url(#${gradient})`} className="[animation:fade_2s_both]" />
      <path
        d={stroke}
        pathLength={1}
        fill="none"
        stroke="var(--chart)"
        strokeWidth="3"
        strokeLinecap="round"
        strokeDasharray="1"
        className="[animation:draw_2s_var(--ease-out)_both]"
      />
      {chosen && (
        <g>
          <path
            d={`M${x(chosen, index)} ${y(chosen)}V${ground}`}
            stroke="var(--chart)"
            strokeWidth="2"
            strokeDasharray="3 4"
          />
          <circle
            cx={x(chosen, index)}
            cy={y(chosen)}
            r="6"
            fill="var(--chart)"
            stroke="var(--surface)"
            strokeWidth="3"
          />
        </g>
      )}
    </svg>
  );
}

function Axis({ marks, top, frame }: { marks: readonly number[]; top: number; frame: Frame }) {
  const start = frame.rtl ? frame.width - padding.axis + 10 : padding.axis - 10;
  const [from, to] = frame.rtl ? [0, frame.width - padding.axis] : [padding.axis, frame.width];
  return (
    <>
      <text x={start} y={12} textAnchor={frame.rtl ? 'start' : 'end'} fill="var(--text-3)">
        {m.gigabytes_short()}
      </text>
      {marks.map((mark) => (
        <g key={mark}>
          <path
            d={`M${from} ${yOf(mark, top, frame)}H${to}`}
            stroke="var(--line)"
            strokeDasharray={mark === 0 ? undefined : '2 6'}
          />
          <text
            x={start}
            y={yOf(mark, top, frame)}
            dy=".35em"
            textAnchor={frame.rtl ? 'start' : 'end'}
            fill="var(--text-3)"
          >
            {number(mark)}
          </text>
        </g>
      ))}
    </>
  );
}

function Days({ points, frame, index }: { points: readonly Point[]; frame: Frame; index: number }) {
  const isWeek = points.length <= 7;
  const every = isWeek ? 1 : Math.ceil((points.length * 56) / Math.max(1, frame.width - padding.axis));
  return points.map(({ day }, i) =>
    (points.length - 1 - i) % every === 0 ? (
      <text
        key={day}
        x={xOf(i, points.length, frame)}
        y={frame.height - 8}
        textAnchor="middle"
        direction={frame.rtl ? 'rtl' : 'ltr'}
        fill={i === index ? 'var(--text)' : 'var(--text-3)'}
        fontWeight={i === index ? 700 : 400}
      >
        {isWeek ? dayName(day, frame.width < NARROW ? 'narrow' : 'long') : shortDay(day)}
      </text>
    ) : null,
  );
}

function Tooltip({
  point,
  index,
  count,
  top,
  frame,
}: {
  point: Point;
  index: number;
  count: number;
  top: number;
  frame: Frame;
}) {
  const half = 84;
  const left = Math.max(half, Math.min(frame.width - half, xOf(index, count, frame)));
  const above = Math.max(0, yOf(point.gigabytes, top, frame) - 58);
  return (
    <div
      aria-hidden
      className="absolute pointer-events-none rounded-sm bg-text text-bg px-3 py-1.5 text-xs leading-snug text-center whitespace-nowrap shadow-2"
      style={{ left, top: above, transform: 'translateX(-50%)' }}
    >
      <b className="block font-bold">{bytes(point.bytes)}</b>
      {shortDay(point.day)} · {levels[levelOf(point.gigabytes)]()}
    </div>
  );
}

function DataTable({ points }: { points: readonly Point[] }) {
  return (
    <table className="sr-only">
      <caption>{m.usage_chart_label()}</caption>
      <thead>
        <tr>
          <th scope="col">{m.column_date()}</th>
          <th scope="col">{m.traffic_used()}</th>
          <th scope="col">{m.usage_level()}</th>
        </tr>
      </thead>
      <tbody>
        {points.map((point) => (
          <tr key={point.day}>
            <th scope="row">{shortDay(point.day)}</th>
            <td>{bytes(point.bytes)}</td>
            <td>{levels[levelOf(point.gigabytes)]()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function sentenceOf(point: Point): string {
  return `${dayName(point.day, 'long')} ${shortDay(point.day)}: ${bytes(point.bytes)}، ${levels[levelOf(point.gigabytes)]()}`;
}

function stepOf(key: string, rtl: boolean): number | 'first' | 'last' | undefined {
  if (key === 'ArrowUp' || key === (rtl ? 'ArrowLeft' : 'ArrowRight')) return 1;
  if (key === 'ArrowDown' || key === (rtl ? 'ArrowRight' : 'ArrowLeft')) return -1;
  if (key === 'Home') return 'first';
  return key === 'End' ? 'last' : undefined;
}

/** The real width in pixels, so that text keeps its size. */
function useFrame(box: React.RefObject<HTMLDivElement | null>): Frame {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    // Out of sight for a moment it keeps its width, and is not drawn anew.
    const observer = new ResizeObserver(([entry]) =>
      setWidth((before) => Math.round(entry?.contentRect.width ?? 0) || before),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return { width, height: HEIGHT, rtl: document.documentElement.dir === 'rtl' };
}
