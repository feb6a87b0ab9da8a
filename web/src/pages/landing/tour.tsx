import { Pause, Play, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { mark } from '../../gen/star.ts';
import { number } from '../../text/format.ts';
import { landingText } from './landing-text.ts';

/** The walk-through behind the "video" button: four drawn scenes that the script turns like a film. */
export function Tour() {
  const text = landingText().tour;
  const { steps } = landingText().how;
  return (
    <dialog
      data-tour=""
      aria-labelledby="tour-title"
      className="m-auto w-[min(44rem,calc(100vw-2rem))] overflow-hidden rounded-xl bg-surface text-text p-0 backdrop:bg-[oklch(0.12_0.03_264/0.6)] [box-shadow:var(--shadow-3)]"
    >
      <div className="max-h-[calc(100dvh-2rem)] overflow-y-auto">
        <div className="flex items-center justify-between gap-4 ps-6 pe-3 py-3">
          <h2 id="tour-title" className="text-lg font-bold">
            {text.title}
          </h2>
          <button type="button" className="icon-btn" data-tour-close="" aria-label={text.close}>
            <X className="size-5" aria-hidden="true" />
          </button>
        </div>
        {steps.map(([title, body], index) => (
          <section key={title} data-scene="" hidden={index > 0} aria-label={`${text.step} ${number(index + 1)}`}>
            <div className="night">
              <svg viewBox="0 0 640 300" className="w-full h-auto block" aria-hidden="true" direction="ltr">
                {scenes[index]}
              </svg>
            </div>
            <div className="px-6 pt-4 min-h-28">
              <h3 className="text-lg font-bold">
                {number(index + 1)}. {title}
              </h3>
              <p className="text-text-2">{body}</p>
            </div>
          </section>
        ))}
        <div className="flex items-center gap-1 px-4 pb-4">
          <button
            type="button"
            className="icon-btn group"
            data-tour-pause=""
            aria-pressed="false"
            aria-label={text.pause}
          >
            <Pause className="size-5 group-aria-pressed:hidden" aria-hidden="true" />
            <Play className="size-5 hidden group-aria-pressed:block" aria-hidden="true" />
          </button>
          {steps.map(([title], index) => (
            <button
              key={title}
              type="button"
              data-tour-dot=""
              aria-label={`${text.step} ${number(index + 1)}`}
              aria-current={index === 0}
              className="group grid place-items-center h-11 flex-1"
            >
              <span className="h-1.5 w-full rounded-full bg-line-control/40 group-aria-[current=true]:bg-accent" />
            </button>
          ))}
        </div>
        <p className="px-6 pb-5 text-xs text-text-3">{text.note}</p>
      </div>
    </dialog>
  );
}

/** Written out, because the style sheet is made from class names found in the source. */
const arrive = [
  '[animation:rise_.5s_.2s_var(--ease-out)_both]',
  '[animation:rise_.5s_.5s_var(--ease-out)_both]',
  '[animation:rise_.5s_.8s_var(--ease-out)_both]',
  '[animation:rise_.5s_1.1s_var(--ease-out)_both]',
  '[animation:rise_.5s_1.4s_var(--ease-out)_both]',
  '[animation:rise_.5s_1.7s_var(--ease-out)_both]',
] as const;

const star = (x: number, y: number, scale: number, fill: string) => (
  <g transform={`translate(${x - 12 * scale} ${y - 12 * scale}) scale(${scale})`}>
    <path d={mark} fill={fill} />
  </g>
);

const scenes: readonly ReactNode[] = [
  // An address and the six digits that came by mail.
  <g key="mail">
    <rect x="150" y="52" width="340" height="64" rx="16" fill="var(--on-night)" fillOpacity=".1" />
    <text x="320" y="92" textAnchor="middle" fontSize="24" fill="var(--on-night)">
      you@example.com
    </text>
    {[...'428163'].map((digit, index) => (
      <g key={digit} className={arrive[index]}>
        <rect x={143 + index * 60} y="160" width="52" height="66" rx="14" fill="var(--on-night)" />
        <text x={169 + index * 60} y="204" textAnchor="middle" fontSize="30" fontWeight="700" fill="var(--night)">
          {number(Number(digit))}
        </text>
      </g>
    ))}
  </g>,
  // A card whose value drops into the wallet.
  <g key="card">
    <g className={arrive[0]}>
      <rect x="90" y="80" width="230" height="140" rx="20" fill="var(--signal)" />
      {star(140, 130, 2, 'var(--night)')}
      <text x="205" y="196" textAnchor="middle" fontSize="20" fontFamily="var(--font-code)" fill="var(--night)">
        RAHA-••••-••••
      </text>
    </g>
    <path
      d="M340 150H420"
      pathLength={1}
      strokeDasharray="1"
      stroke="var(--spark)"
      strokeWidth="4"
      strokeLinecap="round"
      className="[animation:draw_1s_.8s_var(--ease-out)_both]"
    />
    <g className={arrive[4]}>
      <rect x="440" y="95" width="120" height="110" rx="20" fill="var(--on-night)" fillOpacity=".16" />
      <rect x="505" y="135" width="55" height="32" rx="14" fill="var(--on-night)" />
      <circle cx="524" cy="151" r="6" fill="var(--spark)" />
    </g>
  </g>,
  // Servers to choose from, and the code of the config.
  <g key="config">
    {[0, 1, 2].map((row) => (
      <g key={row} className={arrive[row]}>
        <rect
          x="90"
          y={62 + row * 62}
          width="220"
          height="50"
          rx="14"
          fill="var(--on-night)"
          fillOpacity={row === 0 ? 0.24 : 0.1}
        />
        <circle cx="118" cy={87 + row * 62} r="8" fill={row === 0 ? 'var(--signal)' : 'var(--on-night-2)'} />
        <rect x="142" y={82 + row * 62} width={120 - row * 22} height="10" rx="5" fill="var(--on-night)" />
      </g>
    ))}
    <g className={arrive[4]}>
      <rect x="380" y="60" width="180" height="180" rx="20" fill="var(--on-night)" />
      <path
        d="M404 84h42v42h-42zM494 84h42v42h-42zM404 174h42v42h-42z"
        fill="none"
        stroke="var(--night)"
        strokeWidth="10"
      />
      <path
        d="M464 84h12M464 104h12M464 124h12M404 148h12M434 148h22M474 148h12M504 148h32M464 172h12M494 176h14M524 176h12M466 194h32M516 204h20M464 216h12M490 216h16"
        stroke="var(--night)"
        strokeWidth="11"
      />
    </g>
  </g>,
  // The tunnel from the star to the open network.
  <g key="connect">
    {star(120, 150, 4, 'var(--spark)')}
    <path
      d="M175 150Q320 40 465 150"
      pathLength={1}
      strokeDasharray="1"
      fill="none"
      stroke="var(--signal)"
      strokeWidth="5"
      strokeLinecap="round"
      className="[animation:draw_1.2s_.3s_var(--ease-out)_both]"
    />
    <g className={arrive[4]}>
      <circle cx="510" cy="150" r="46" fill="none" stroke="var(--signal)" strokeWidth="5" />
      <path
        d="M490 151l14 15 28-32"
        fill="none"
        stroke="var(--on-night)"
        strokeWidth="7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </g>
  </g>,
];
