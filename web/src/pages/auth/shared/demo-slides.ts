import { m } from '../../../text/generated/messages.js';

/** The three demonstrations beside the sign-in (specification 1, section 3). Their figures are samples and say so. */
interface Common {
  readonly title: string;
  readonly subtitle: string;
  /** A question and its answer. */
  readonly conversation: readonly [string, string];
}

export type DemoSlide = Common &
  (
    | {
        readonly type: 'speed-test';
        readonly data: {
          readonly server: string;
          /** Megabits per second. */
          readonly before: { readonly download: number };
          readonly after: { readonly download: number };
          /** Percent. */
          readonly improvement: { readonly download: number };
        };
      }
    | {
        readonly type: 'location-access';
        readonly data: {
          readonly available_content: readonly { readonly icon: 'video' | 'music' | 'games'; readonly name: string }[];
          readonly streaming_quality: string;
        };
      }
    | {
        readonly type: 'security-analysis';
        readonly data: {
          readonly protocol: string;
          readonly encryption: string;
          readonly kill_switch: boolean;
          readonly dns_protection: boolean;
          /** Of 100. */
          readonly security_score: number;
          readonly threats_blocked: number;
        };
      }
  );

const before = 12;
const after = 54;

export function demoSlides(): readonly DemoSlide[] {
  return [
    {
      type: 'speed-test',
      title: m.demo_speed_title(),
      subtitle: m.demo_speed_subtitle(),
      conversation: [m.demo_speed_ask(), m.demo_speed_answer({ server: m.city_frankfurt() })],
      data: {
        server: m.city_frankfurt(),
        before: { download: before },
        after: { download: after },
        improvement: { download: Math.round(((after - before) / before) * 100) },
      },
    },
    {
      type: 'location-access',
      title: m.demo_access_title(),
      subtitle: m.demo_access_subtitle(),
      conversation: [m.demo_access_ask(), m.demo_access_answer()],
      data: {
        available_content: [
          { icon: 'video', name: m.demo_content_video() },
          { icon: 'music', name: m.demo_content_music() },
          { icon: 'games', name: m.demo_content_games() },
        ],
        streaming_quality: '4K',
      },
    },
    {
      type: 'security-analysis',
      title: m.demo_security_title(),
      subtitle: m.demo_security_subtitle(),
      conversation: [m.demo_security_ask(), m.demo_security_answer()],
      data: {
        protocol: 'WireGuard',
        encryption: 'ChaCha20',
        kill_switch: true,
        dns_protection: true,
        security_score: 98,
        threats_blocked: 24,
      },
    },
  ];
}
