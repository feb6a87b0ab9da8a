import { limits } from '@raha/contract/limits.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import { placeholder, when } from '@raha/contract/site-placeholders.ts';
import { englishPrivacy } from './privacy-english.ts';
import type { PageTexts } from './prose.ts';
import { englishTerms } from './terms-english.ts';

const { node, payment, charge, verificationCode, keptDays } = limits;
const n = (value: number) => formatNumber(value, 'en');
export const english: PageTexts = {
  landing: {
    title: `Raha | ${placeholder('taglineEnglish')}`,
    description:
      'Raha is a VPN for Persian speakers: create an account with your e-mail, activate it with a gift card and pay only for what you use.',
  },
  downloads: {
    title: 'Download',
    description:
      'The official WireGuard and OpenVPN apps for Windows, macOS, Android, iOS and Linux, and how to connect with your Raha config.',
    lead: 'Raha has no app of its own: you connect with the official, open-source WireGuard app, or with OpenVPN or IKEv2. Get it from its own source and import the file or the QR code of your Raha config.',
    how: 'What comes next?',
    others: {
      heading: 'For OpenVPN and IKEv2',
      items: [
        ['OpenVPN', 'The app OpenVPN Connect for Windows, macOS, Linux, Android and iOS.', 'openvpn.net'],
        ['IKEv2 on iPhone, Mac and Windows', 'No app is needed; the panel gives you a profile or a script.'],
        ['IKEv2 on Android', 'The app strongSwan.', 'Google Play'],
      ],
    },
    get: 'Get it from {source}',
    guide: 'How to install',
    version: 'Version and size',
    versionText: 'As stated where you get it',
    cards: [
      { name: 'Windows', text: 'Windows 10 and later. Import the config file in the app.', note: 'wireguard.com' },
      { name: 'macOS', text: 'Installs from the App Store and lives in the menu bar.', note: 'the App Store' },
      { name: 'Android', text: 'Scan the QR code of your config with the camera.', note: 'Google Play' },
      { name: 'iPhone and iPad', text: 'Scan the QR code and allow the VPN to be added.', note: 'the App Store' },
      { name: 'Linux', text: 'The package wireguard-tools is in your distribution.', note: 'wireguard.com' },
      {
        name: 'Chrome extension',
        text: 'The Raha extension for Chrome is not ready yet. Until then, a Raha config on your device covers the browser too.',
        note: 'Not ready yet',
      },
    ],
  },
  pricing: {
    title: 'Pricing',
    description: 'What a gigabyte costs at Raha, in cents and in toman at today’s rate, the free trial and refunds.',
    lead: 'One price for all servers and all devices: pay for the gigabytes you use, or buy a plan for a month.',
    perGb: 'Price per gigabyte',
    cents: `${placeholder('usdCentsPerGb')} US cents`,
    perGbNote: 'A gigabyte is 1,000,000,000 bytes, down and up together.',
    inCents: `${placeholder('usdCentsPerGb')} US cents, at the dollar rate of this moment`,
    plans: {
      heading: 'Plans',
      lead: 'If you use a lot every month, a plan costs less. You buy it in the panel, from the balance of your wallet.',
      days: 'days',
      gigabytes: 'GB',
      unlimited: 'unlimited traffic',
      devices: 'devices',
      speedBefore: 'up to',
      speedAfter: 'Mbit/s',
      fromBefore: 'From',
      fromAfter: 'GB on, it costs less than paying for each gigabyte.',
    },
    examples: 'For example',
    examplesNote: 'Counted at the rate of this moment; the rate is read again each time you use traffic.',
    gigabytes: 'gigabytes',
    parts: [
      {
        heading: 'Free trial',
        points: [
          `${when('trial', `Registering with a password gives ${placeholder('passwordDays')} days, signing in without one gives ${placeholder('passwordlessDays')} days once the profile is completed, ${placeholder('trialTermsEnglish')}. ${placeholder('trialMeaningEnglish')}`)}${when('no-trial', 'There is no free trial at present.')}`,
          'No bank card is needed to create an account.',
        ],
      },
      {
        heading: 'Wallet',
        points: [
          'The account is activated once with a gift card, and the card’s value goes into your wallet, in toman at the dollar rate of that moment.',
          `After that you charge the wallet through a bank gateway, from ${n(charge.minToman)} toman.`,
          'Usage is taken from the wallet as it happens; or buy a plan in the panel, inside whose traffic and devices usage is free. There is no automatic renewal and no debt.',
        ],
      },
      {
        heading: 'When the balance runs out',
        paragraphs: [
          'The connection pauses and you owe nothing. Charge the wallet and the same config works again at once.',
        ],
      },
      {
        heading: 'Refunds',
        paragraphs: [
          `Within ${n(payment.refundDays)} days of a bank charge, what is unspent of it is refunded when you ask for it in the panel.`,
        ],
      },
    ],
  },
  features: {
    title: 'Features',
    description: 'What Raha has: pay per use, WireGuard, keys on your device, live connection status and privacy.',
    lead: 'Everything listed here is in the panel today.',
    parts: [
      {
        heading: 'A config for each device',
        points: [
          `Up to ${placeholder('configsPerUser')} configs, each for one device and one server.`,
          'You get the file and the QR code at once.',
          'Each config can be renamed, disconnected and connected, reset or deleted.',
        ],
      },
      {
        heading: 'Three protocols',
        points: [
          'WireGuard for speed, OpenVPN for a network that blocks WireGuard, and IKEv2, which needs no app on iPhone, Mac and Windows.',
          'You choose when you make a config, and the price is the same.',
        ],
      },
      {
        heading: 'The private key, as you choose',
        points: [
          'It can be made in your own browser and never reach the server.',
          'Or it stays with Raha, encrypted, so that you can see the QR code again later.',
        ],
      },
      {
        heading: 'Live status',
        points: [
          'The panel hears from the server itself whether your tunnel is up, and shows speed and volume live.',
          'You are told before the balance runs out.',
        ],
      },
      {
        heading: 'Plain payment',
        points: [
          'Every movement of money is in the list of transactions, with its reason.',
          'Usage is measured by the server’s own counter and never passes the share that was reserved.',
        ],
      },
      {
        heading: 'Easy and safe sign-in',
        points: [
          'Sign in with a code by e-mail, without a password; or with one, if you like.',
          'Light and dark, Persian and English, phone and computer.',
        ],
      },
    ],
  },
  guides: {
    title: 'Guides',
    description: 'How to connect to Raha with WireGuard on Android, iPhone, Windows, macOS and Linux, step by step.',
    lead: 'First make a config in the panel. Then find your device here; it takes about a minute.',
    parts: [
      {
        heading: 'Make a config',
        steps: [
          'Sign in to the panel and activate the account once with a gift card.',
          'Under “Configs” press “New config”, write a name and choose the server.',
          'Keep the QR code for a phone or the file for a computer. Each config is for one device.',
        ],
      },
      {
        heading: 'Android',
        steps: [
          'Install WireGuard from Google Play.',
          'Press “+”, then Scan from QR code, and scan the code in the panel. If the panel is open on that same phone, download the file and press Import from file or archive.',
          'Write a name, switch it on and accept Android’s question about the VPN.',
        ],
        pictures: ['install', 'save', 'add', 'import', 'pick', 'switch'],
      },
      {
        heading: 'iPhone and iPad',
        steps: [
          'Install WireGuard from the App Store.',
          'Press “+”, then Create from QR code, and scan the code; or keep the file in Files and press Create from file or archive.',
          'Allow the VPN to be added with the code of your device and switch it on.',
        ],
      },
      {
        heading: 'Windows',
        steps: [
          'Get the installer of WireGuard from its official site and run it.',
          'Download the config file from the panel.',
          'In the app press Import tunnel(s) from file, choose the file and press Activate.',
        ],
      },
      {
        heading: 'macOS',
        steps: [
          'Install WireGuard from the App Store and open it.',
          'Download the config file and press Import Tunnel(s) from File.',
          'Allow the VPN to be added and press Activate.',
        ],
      },
      {
        heading: 'Linux',
        steps: [
          'Install the package wireguard-tools of your distribution.',
          'Put the config file into /etc/wireguard as raha.conf, readable by root only.',
          'Connect with sudo wg-quick up raha and disconnect with sudo wg-quick down raha.',
        ],
      },
      {
        heading: 'With OpenVPN',
        steps: [
          'Choose the protocol OpenVPN when you make the config.',
          'Install the app OpenVPN Connect on the phone or computer.',
          'Download the .ovpn file from the panel, import it into the app and switch it on.',
        ],
      },
      {
        heading: 'With IKEv2',
        points: [
          'iPhone, iPad and Mac: download the profile and install it in the settings of the device. No app is needed.',
          'Windows: run the script that the panel gives you; it creates the connection in the VPN settings.',
          'Android: install the app strongSwan and open the .sswan file in it.',
        ],
        pictures: ['ios_install', 'ios_vpn'],
      },
      {
        heading: 'If it does not connect',
        points: [
          'The config must be “active” in the panel and the wallet must have a balance.',
          'Do not switch one config on on two devices at once; make one for each.',
          'Set the clock of the device right, and switch the tunnel off and on once.',
          'Open the file of a WireGuard config in the panel: below it there are files for other ports and for AmneziaWG. Which one gets through differs from network to network.',
          'Try another server. If that does not help, write to support.',
        ],
      },
    ],
  },
  faq: {
    title: 'Questions people ask',
    description: 'Short answers about Raha: activation, price, free trial, privacy, devices and refunds.',
    lead: 'Short answers to what people ask most.',
    items: [
      [
        'How does the free trial work?',
        `${when('trial', `Registering with a password gives ${placeholder('passwordDays')} days and signing in without one ${placeholder('passwordlessDays')} days, ${placeholder('trialTermsEnglish')}. ${placeholder('trialMeaningEnglish')}`)}${when('no-trial', 'There is no free trial at present.')}`,
      ],
      [
        'Why is activation by gift card?',
        'One gift card activates the account for ever, and all of its value goes into your own wallet; activation itself costs nothing.',
      ],
      [
        'How is the price counted?',
        'Per gigabyte, down and up together, in cents and at the dollar rate of the day. It is taken from the wallet as you use it.',
      ],
      [
        'Where do I get the Raha app?',
        'Raha has no app of its own. You connect with the official WireGuard or OpenVPN app; the download page says where they come from. IKEv2 needs no app on iPhone, Mac and Windows.',
      ],
      ['How many devices can I connect?', `A config for each device, up to ${placeholder('configsPerUser')} of them.`],
      [
        'Which protocol should I choose?',
        'WireGuard is usually the fastest. If your network blocks it, try OpenVPN. If you do not want to install an app on an iPhone, Mac or Windows, take IKEv2.',
      ],
      [
        'Do you see which sites I visit?',
        `No. Site addresses, DNS queries and your network address are not stored. The volume of each config per hour is kept, and when it connected and disconnected for ${n(keptDays.connections)} days. The privacy page has the whole list.`,
      ],
      [
        'Is anything closed or limited?',
        `Port 25 is closed, because spam is sent through it; mail apps use 465 and 587, which are open. Each config can have ${n(node.flows.open)} connections open at once and begin ${n(node.flows.perSecond)} a second, ${n(node.flows.burst)} in a burst. Ordinary use, file sharing included, stays far below. What is stopped there is not billed.`,
      ],
      [
        'Which bytes are counted?',
        'Every byte that passes the server, even if it is then lost on its way to your device.',
      ],
      [
        'What happens when the balance runs out?',
        'The connection pauses and you owe nothing. Charge the wallet and the same config is back at once.',
      ],
      [
        'Can I have my money back?',
        `Within ${n(payment.refundDays)} days of a bank charge, its unspent part is refunded when you ask in the panel.`,
      ],
      [
        'The code did not come by e-mail. What now?',
        `Look into the spam folder. A code is good for ${n(verificationCode.lifetimeSeconds / 60)} minutes and you can ask for a new one; it replaces the one before.`,
      ],
    ],
  },
  support: {
    title: 'Support',
    description: 'How to get help with Raha: guides for every device, answers to common questions, and e-mail.',
    lead: 'Most troubles end soon in one of these three ways.',
    parts: [
      {
        heading: 'Before you write',
        points: [
          'Read “If it does not connect” in the guides.',
          'Questions about the account, prices and refunds are answered on the questions page.',
        ],
      },
      {
        heading: 'Put into your mail',
        points: [
          'The e-mail address of your Raha account',
          'The device and the name of the config',
          'If you saw an error, the request id under it; we find it sooner that way.',
        ],
      },
      {
        heading: 'Leave out',
        paragraphs: [
          'Send nobody your sign-in code, password, config file, private key or an unused gift card code. We never ask for them.',
        ],
      },
    ],
  },
  contact: {
    title: 'Contact',
    description: 'The support address of Raha.',
    lead: 'We are there by e-mail and answer in Persian and English.',
    parts: [
      {
        heading: 'Reporting a security problem',
        paragraphs: [
          'If you found a hole, please write to this address before you publish it, so that it can be closed. We will be grateful.',
        ],
      },
      {
        heading: 'Requests about your own data',
        paragraphs: ['To see or erase the data of an account, write from the e-mail address of that account.'],
      },
    ],
  },
  blog: {
    title: 'Blog',
    description: 'The blog of Raha.',
    lead: 'News and writing from Raha appear here.',
    empty: 'Nothing published yet',
    emptyText: 'The first post will appear here when it is ready. Until then, have a look at the guides.',
  },
  privacy: englishPrivacy,
  terms: englishTerms,
};
