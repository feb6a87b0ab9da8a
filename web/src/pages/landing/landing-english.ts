import { limits } from '@raha/contract/limits.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import { placeholder } from '@raha/contract/site-placeholders.ts';
import type { ComparisonRow, LandingText } from './landing-persian.ts';

const { payment } = limits;
const n = (value: number) => formatNumber(value, 'en');

export const english: LandingText = {
  demo: 'Demo',
  sample: 'Sample',
  chip: 'AI finds the way through',
  text: 'You make a config for each device, scan it and you are connected. ARIA suggests the right server, and you only pay for what you use.',
  startTrial: 'Start with your e-mail',
  trialTerms: `${placeholder('passwordlessDays')} days free, ${placeholder('trialTermsEnglish')}`,
  watch: 'Watch the tour',
  download: 'Download',
  points: [
    'No record of your browsing',
    `Refunds within ${n(payment.refundDays)} days`,
    'No bank card needed to start',
  ],
  aria: { card: 'ARIA suggests', ping: 'Ping', load: 'Server load', protocol: 'Protocol', ms: 'ms' },
  stats: {
    label: 'Raha in numbers',
    connected: 'people connected',
    countries: 'countries',
    servers: 'servers',
    ping: 'average ping to Germany',
    perGb: 'per gigabyte',
    cents: `${placeholder('usdCentsPerGb')} ¢`,
    refund: 'to ask for a refund',
    days: `${n(payment.refundDays)} days`,
  },
  features: {
    title: 'Why Raha',
    text: 'What a good connection needs, without what it does not.',
    previous: 'Previous feature',
    next: 'Next feature',
    pause: 'Stop rotating',
    play: 'Keep rotating',
    slide: 'Feature',
    items: [
      [
        'Pay for what you use',
        'The price per gigabyte is plain and nothing beyond your usage leaves the wallet. No automatic renewal.',
      ],
      [
        'WireGuard, fast and light',
        'A protocol with very little overhead on phones and computers, which survives moving between Wi-Fi and mobile data.',
      ],
      [
        'Your browsing is not recorded',
        'No site addresses, no DNS queries and no network address of yours are kept; only the volume of each config.',
      ],
      [
        'The key stays on your device',
        'You can make the private key in your own browser, so that it never reaches the server.',
      ],
      ['ARIA picks the server', 'Among the servers that are up, it suggests the one that suits what you do.'],
      [
        'No abrupt ending',
        'When the balance runs out the connection only pauses. Top up and the same config works again at once.',
      ],
    ],
  },
  map: {
    title: 'The world, one touch away',
    text: 'Choose a city to see its way from Tehran. This map is only a demonstration.',
    svg: 'Demonstration map of the world with cities to choose from',
    choose: 'Cities',
    all: 'Show all cities',
    fewer: 'Show the main cities',
    idle: 'Not connected',
    idleText: 'Choose a city.',
    connecting: 'Connecting to {city}…',
    connected: 'Connected to {city}',
    disconnect: 'Disconnect',
    noScript: 'This demonstration needs JavaScript. Its cities:',
  },
  assistant: {
    title: 'ARIA makes a suggestion',
    text: 'Say what matters most to you. ARIA suggests three servers, and says why.',
    steps: ['Your preference', 'Three suggestions', 'Connection'],
    priority: 'Priority',
    priorities: { speed: 'Speed', security: 'Security', distance: 'Distance' },
    usage: 'Usage',
    usages: { streaming: 'Streaming', gaming: 'Gaming', browsing: 'Browsing', torrenting: 'Torrenting' },
    analyse: 'Analyse and suggest',
    analysing: 'ARIA is weighing the servers…',
    result: 'For {usage}, I suggest these three servers:',
    reasons: {
      because: 'Because {reasons}.',
      and: ' and ',
      ping: 'its ping is {n} ms',
      distance: 'it is {n} degrees from Iran',
      room: 'it is a premium server',
    },
    premium: 'Premium',
    best: 'Best choice',
    connect: 'Connect',
    connected: 'You are connected to {city}',
    connectedText: 'That was a demonstration. For a real connection, create an account.',
    restart: 'Start again',
    noScript: 'This demonstration needs JavaScript.',
  },
  compare: {
    title: 'Raha beside the others',
    text: 'The price under “Others” is the usual range of the market.',
    samples: 'Figures marked “Sample” are for trying out.',
    feature: 'Feature',
    others: 'Others',
    yes: 'Yes',
    rows: [
      {
        feature: 'Monthly price',
        ours: `${placeholder('monthlyPriceToman')} toman`,
        others: `${placeholder('othersFromToman')} to ${placeholder('othersToToman')} toman`,
        claim: 'monthlyPriceToman',
      },
      { feature: 'Pay for what you use', ours: 'Yes', others: 'Varies' },
      { feature: 'Countries', ours: `${placeholder('countries')} countries`, others: 'Varies', claim: 'countries' },
      { feature: 'Servers', ours: placeholder('servers'), others: 'Varies', claim: 'servers' },
      { feature: 'Encryption', ours: 'AES-256, and ChaCha20 in WireGuard', others: 'Varies' },
      { feature: 'Protocols', ours: 'WireGuard, OpenVPN and IKEv2', others: 'Varies' },
      {
        feature: 'Devices at once',
        ours: `Up to ${placeholder('devices')} devices`,
        others: 'Varies',
        claim: 'devices',
      },
      { feature: 'Rating', ours: `${placeholder('rating')} of 5`, others: 'Varies', claim: 'rating' },
      {
        feature: 'Free trial',
        ours: `${placeholder('passwordlessDays')} days, ${placeholder('trialTermsEnglish')}`,
        others: 'Varies',
        holds: 'passwordless-trial',
      },
    ] as readonly ComparisonRow[],
  },
  promises: {
    title: 'Do not take our word for it',
    text: 'Four things that you can try yourself.',
    items: [
      [
        'Never more than your balance',
        'Each server counts usage in the kernel of its operating system and stops at the last byte that is paid for. The panel shows the traffic beside the money it cost.',
      ],
      [
        'A full list of what we keep',
        'The privacy page says what is kept and for how long, which cookies are set, and what is sent to whom. You can download all your own data from the panel.',
      ],
      [
        'You know the refund before you ask',
        'Beside each payment stands how much of it can be refunded, and when it arrives on your card.',
      ],
      [
        'Top up, and the same config works again',
        'The page you return to from the bank says how many seconds after the payment your internet came back; the server itself reports it.',
      ],
    ],
  },
  how: {
    title: 'How it works',
    steps: [
      ['Create an account', 'With your e-mail and a 6-digit code, or with a password. No bank card needed.'],
      ['Activate', 'Enter the code of a gift card; its value goes into your wallet.'],
      ['Make a config', 'Choose the server and take the file or the QR code.'],
      ['Connect', 'Scan the code in the WireGuard app and switch it on.'],
    ],
  },
  testimonials: {
    title: 'What we want you to hear',
    text: 'These quotes are samples and nobody said them; those of real people will take their place.',
    items: [
      [
        'I paid for just the few gigabytes I used, and nothing was taken by itself the month after.',
        'Sara',
        'Designer, Tehran',
      ],
      [
        'I scanned the code with my phone and was connected. Setting it up took less time than reading how.',
        'Amir',
        'Student, Shiraz',
      ],
      ['I made a config for each device at home and know how much each of them uses.', 'Maryam', 'Teacher, Mashhad'],
    ],
  },
  apps: {
    title: 'On every device you have',
    text: 'Raha works with the official, open-source WireGuard app: install it and import your Raha config.',
    all: 'How to install on each device',
  },
  faq: { title: 'Questions people ask', all: 'All questions' },
  support: {
    title: 'We are on your side',
    text: 'Support is by e-mail, in Persian and English. There is a step-by-step guide for every device too.',
    guides: 'Guides',
    contact: 'Write to support',
  },
  tour: {
    title: 'Raha in four steps',
    note: 'This illustrated tour is drawn by us and has no sound.',
    close: 'Close',
    play: 'Play',
    pause: 'Pause',
    step: 'Step',
  },
};
