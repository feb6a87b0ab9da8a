import { limits } from '@raha/contract/limits.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import { placeholder } from '@raha/contract/site-placeholders.ts';
import { englishPrivacy } from './privacy-english.ts';
import type { PageTexts } from './prose.ts';

const { payment, charge, verificationCode } = limits;
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
      'The official WireGuard app for Windows, macOS, Android, iOS and Linux, and how to connect with your Raha config.',
    lead: 'Raha has no app of its own: you connect with the official, open-source WireGuard app. Get it from its own source and import the file or the QR code of your Raha config.',
    how: 'What comes next?',
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
    lead: 'One price for all servers and all devices: the volume that you really used.',
    perGb: 'Price per gigabyte',
    cents: `${placeholder('usdCentsPerGb')} US cents`,
    perGbNote: 'A gigabyte is 1,000,000,000 bytes, down and up together.',
    now: 'At the present rate:',
    examples: 'For example',
    examplesNote: 'Counted at the rate of this moment; the rate is read again each time you use traffic.',
    gigabytes: 'gigabytes',
    parts: [
      {
        heading: 'Free trial',
        points: [
          `Registering with a password gives ${placeholder('passwordDays')} days, signing in without one gives ${placeholder('passwordlessDays')} days once the profile is completed, ${placeholder('trialTermsEnglish')}.`,
          placeholder('trialMeaningEnglish'),
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
        heading: 'If it does not connect',
        points: [
          'The config must be “active” in the panel and the wallet must have a balance.',
          'Do not switch one config on on two devices at once; make one for each.',
          'Set the clock of the device right, and switch the tunnel off and on once.',
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
        `Registering with a password gives ${placeholder('passwordDays')} days and signing in without one ${placeholder('passwordlessDays')} days, ${placeholder('trialTermsEnglish')}. ${placeholder('trialMeaningEnglish')}`,
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
        'No app of ours is needed. You connect with the official WireGuard app; its links are on the download page.',
      ],
      ['How many devices can I connect?', `A config for each device, up to ${placeholder('configsPerUser')} of them.`],
      [
        'Do you see which sites I visit?',
        'No. Site addresses, DNS queries and your network address are not stored. Only the volume of each config per hour and the time of its last connection are kept.',
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
  terms: {
    title: 'Terms of use',
    description: 'The terms of Raha: account, free trial, activation, wallet, refunds, cut-off and fair use.',
    lead: 'By creating an account you accept these terms. We tried to keep them short and plain.',
    parts: [
      {
        heading: 'Account',
        points: [
          'An account is made with your own e-mail address. Until it is verified, activation, charging and configs are not possible.',
          'Keeping your password, codes and config files safe is up to you. The panel shows wherever the account is open.',
        ],
      },
      {
        heading: 'Free trial',
        paragraphs: [
          `Each user has one trial: ${placeholder('passwordDays')} days when registering with a password, ${placeholder('passwordlessDays')} days when signing in without one, ${placeholder('trialTermsEnglish')}. ${placeholder('trialMeaningEnglish')}`,
        ],
      },
      {
        heading: 'Activation and gift cards',
        points: [
          'The account is activated once with a gift card and needs no renewal.',
          'A card’s value is in dollars and goes into the wallet in toman at the rate of the moment it is redeemed. Each code is redeemed once.',
          'While no valid rate is available, redeeming waits for one.',
        ],
      },
      {
        heading: 'Wallet and price',
        points: [
          `A gigabyte (1,000,000,000 bytes, down and up together) now costs ${placeholder('usdCentsPerGb')} US cents, counted in toman at the rate of the day; what the pricing page says is what counts.`,
          'For a config that is on, part of the balance is reserved; what is not used returns.',
          'A payment counts when the bank confirms it. A confirmed payment that arrives late is credited too.',
        ],
      },
      {
        heading: 'Cut-off',
        paragraphs: [
          'When your balance or your share is used up, the server stops passing traffic. No debt arises, and the same config works again once you charge.',
        ],
      },
      {
        heading: 'Refunds',
        paragraphs: [
          `A bank charge is refunded within ${n(payment.refundDays)} days, up to what is unspent, when you ask for it in the panel. The amount leaves the wallet at once and goes to the gateway or to the payment queue; until it is sent we write “requested”.`,
        ],
      },
      {
        heading: 'Fair use',
        points: [
          'Do not use the service to attack, send spam, defraud, spread malware or harm others.',
          'Do not sell your configs, and use each of them on one device.',
          'An account that does not keep to this may be closed.',
        ],
      },
      {
        heading: 'What we cannot promise',
        paragraphs: [
          'We try to be available at all times, but networks are sometimes restricted or cut, and a connection everywhere and always is not possible. Time in which you use nothing costs you nothing.',
        ],
      },
      {
        heading: 'Changes to these terms',
        paragraphs: ['If anything changes to your disadvantage, we tell you by e-mail before it takes effect.'],
      },
    ],
  },
};
