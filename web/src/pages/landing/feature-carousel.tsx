import { ChevronLeft, ChevronRight, EyeOff, KeyRound, Pause, Play, Rabbit, Timer, Wallet } from 'lucide-react';
import { Khatam } from '../../components/logo.tsx';
import { number } from '../../text/format.ts';
import { landingText } from './landing-text.ts';
import { Section } from './section.tsx';

const icons = [Wallet, Rabbit, EyeOff, KeyRound, Khatam, Timer];

/** A row that scrolls by itself; the script adds turning every six seconds, dots and buttons. */
export function FeatureCarousel() {
  const text = landingText().features;
  return (
    <Section id="features" title={text.title} text={text.text} aside={<Controls />}>
      <ul
        data-carousel=""
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={text.title}
        className="flex unscripted:flex-wrap gap-5 overflow-x-auto snap-x snap-mandatory rounded-lg p-1 -m-1 [scrollbar-width:none]"
      >
        {text.items.map(([title, body], index) => {
          const Icon = icons[index]!;
          return (
            <li
              key={title}
              className="card snap-start scroll-ms-1 shrink-0 w-[86%] sm:w-[calc((100%-1.25rem)/2)] lg:w-[calc((100%-2.5rem)/3)] p-6 lg:p-7"
            >
              <span
                className={`grid place-items-center size-12 rounded-md ${Icon === Khatam ? 'bg-spark-soft text-spark' : 'bg-accent-soft text-accent'}`}
              >
                <Icon className="size-6" aria-hidden="true" />
              </span>
              <h3 className="text-lg font-bold mt-4">{title}</h3>
              <p className="text-text-2 mt-1">{body}</p>
            </li>
          );
        })}
      </ul>
      <div className="flex justify-center mt-4 unscripted:hidden" data-carousel-dots="">
        {text.items.map(([title], index) => (
          <button
            key={title}
            type="button"
            aria-label={`${text.slide} ${number(index + 1)}`}
            aria-current={index === 0}
            className="group grid place-items-center size-8"
          >
            <span className="size-2.5 rounded-full bg-line-control transition-transform group-aria-[current=true]:bg-accent group-aria-[current=true]:scale-125" />
          </button>
        ))}
      </div>
    </Section>
  );
}

function Controls() {
  const text = landingText().features;
  return (
    <div className="flex gap-1 unscripted:hidden">
      <button type="button" className="icon-btn" data-carousel-step="-1" aria-label={text.previous}>
        <ChevronRight className="size-5 ltr:-scale-x-100" aria-hidden="true" />
      </button>
      <button
        type="button"
        className="icon-btn group"
        data-carousel-pause=""
        aria-label={text.pause}
        aria-pressed="false"
      >
        <Pause className="size-5 group-aria-pressed:hidden" aria-hidden="true" />
        <Play className="size-5 hidden group-aria-pressed:block" aria-hidden="true" />
      </button>
      <button type="button" className="icon-btn" data-carousel-step="1" aria-label={text.next}>
        <ChevronLeft className="size-5 ltr:-scale-x-100" aria-hidden="true" />
      </button>
    </div>
  );
}
