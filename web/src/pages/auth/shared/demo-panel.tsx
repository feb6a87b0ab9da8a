import { screen } from '@raha/contract/screen-timings.ts';
import { useEffect, useState } from 'react';
import { StarWindow } from '../../../components/star-window.tsx';
import { m } from '../../../text/generated/messages.js';
import { DemoData } from './demo-data.tsx';
import { demoSlides } from './demo-slides.ts';

/**
 * The window with a card before it that tells what the product does. It turns by itself every six seconds, unless a
 * user looks closer (pointer or focus), has picked a scene, or asked the system for less motion.
 */
export default function DemoPanel() {
  const slides = demoSlides();
  const [index, setIndex] = useState(0);
  const [held, setHeld] = useState(false);
  const [picked, setPicked] = useState(false);
  const still = held || picked;
  const { length } = slides;
  useEffect(() => {
    if (still || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const timer = setInterval(() => setIndex((shown) => (shown + 1) % length), screen.demo.slideMs);
    return () => clearInterval(timer);
  }, [still, length]);

  const slide = slides[index];
  if (!slide) return null;
  return (
    <div className="relative pb-36">
      <StarWindow />
      <section
        aria-label={m.demo_region()}
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
        className="absolute bottom-0 start-1/2 rtl:translate-x-1/2 ltr:-translate-x-1/2 w-[25rem] max-w-full rounded-lg bg-surface p-5 [box-shadow:var(--edge),var(--shadow-3)]"
      >
        <div className="flex items-baseline gap-2.5">
          <h2 className="font-bold">{slide.title}</h2>
          <p className="text-sm text-text-3 flex-1 truncate">{slide.subtitle}</p>
          <span className="badge bg-spark-soft text-spark-text">{m.demo_label()}</span>
        </div>
        <div key={slide.type} className="grid grid-rows-[auto_7.5rem] [animation:fade_.3s_both]">
          <div className="grid gap-2 mt-3 text-sm">
            {slide.conversation.map((line, turn) => (
              <p
                key={line}
                className={`w-fit max-w-[88%] px-3.5 py-1.5 rounded-md ${turn === 0 ? 'bg-surface-2' : 'bg-accent-soft justify-self-end'}`}
              >
                {line}
              </p>
            ))}
          </div>
          <DemoData slide={slide} />
        </div>
        <div className="flex justify-center -mb-3">
          {slides.map(({ type, title }, at) => (
            <button
              key={type}
              type="button"
              aria-label={m.demo_slide({ title })}
              aria-current={at === index}
              onClick={() => {
                setIndex(at);
                setPicked(true);
              }}
              className="group grid place-items-center size-9"
            >
              <span className="size-2 rounded-full bg-line-control opacity-60 transition-all group-aria-[current=true]:w-6 group-aria-[current=true]:bg-accent group-aria-[current=true]:opacity-100" />
            </button>
          ))}
        </div>
      </section>
    </div>
  );
}
