import { limits } from '@raha/contract/limits.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import { type KeptDatum, keptData } from '@raha/contract/privacy.ts';
import { type KeptTexts, keptPoints } from './kept-points.ts';
import { cookiePoints, recipientPoints } from './privacy-lists.ts';
import type { Prose } from './prose.ts';

const { verificationCode } = limits;
const n = (value: number) => formatNumber(value, 'en');

const kept: KeptTexts = {
  attempts: 'Fingerprints of codes and links, and failed attempts',
  answers: 'Answers that a repeated request gets again, so that nothing is paid twice',
  debtors: 'The mark of a deleted account that owes nothing any more',
  storeVisits: 'Visits to a gift card store that led to no card',
  deliveries: 'What became of each mail and text message to you',
  familyLinks: 'The names on a page for somebody in your family, once its config is deleted',
  sessions: 'Sign-ins after they ended',
  connections: 'Times of connections, without any address',
  notifications: 'Notifications',
  devices: 'The mark by which a browser is known, after its last sign-in',
  blockedQueries: 'How many DNS queries were blocked in a day, without the names',
  reach: 'How often devices on an operator’s network got through, by day, counted for the whole network',
};

/** What the database keeps: a sentence for each kind of data that a column of it may hold. */
const keptTexts: Readonly<Record<KeptDatum, string>> = {
  account:
    'Account: name, e-mail address, and, if you give them, phone number and picture, and when it was made and activated. A password is kept only as a hash.',
  choices:
    'Choices: language, theme, automatic connection, the news you want, and whether advertising is blocked, with the number of blocked DNS queries per day.',
  sign_in:
    'Sign-ins: on which device and browser the account is open and since when, so that you can end each of them. Passkeys and two-step sign-in, if you set them up: public key, name and last use of each passkey, the secret of the authenticator app encrypted, and recovery codes only in a form that cannot be turned back. Fingerprint and face never leave your device.',
  config:
    'Configs: name, server and public key. The private key only if you ask for it, encrypted. Of a config that you share with your family also the two names that you write for the page, the monthly limit, and when the link was opened; not by whom or from where.',
  usage:
    'Usage: the number of bytes of each config per hour, its speed at this moment, and when it connected and disconnected; to count the price and to show it to you.',
  money:
    'Money: charges, redeemed gift cards, usage and refunds, with the bank’s reference number. Of your card number the bank tells us the first six and the last four digits, which stand on the receipt.',
  messages:
    'Notifications: what you see under the bell in the panel, and when you read it. Of each mail and text message its kind, and whether and when the mail server or the sender of text messages took it; not its text. If you switch on notifications on a device, the address and key that its browser gives for them, encrypted, until you sign out.',
  support:
    'Support: when and why the operator of the service changed something in your account. You see it yourself under Security.',
  trial:
    'Free trial: how much of it is used, and a fingerprint, which cannot be turned back, of the mailbox and the phone number, so that each has one.',
};

const ofNetworks =
  'Of nobody: how often devices on the network of an operator tried each way to connect, and how often it worked, by hour. Servers round it down, and it is kept only when enough came together. No account, config or address is in it, also not with your answer to “did it connect?”.';

export const englishPrivacy: Prose = {
  title: 'Privacy',
  description: 'What Raha keeps, what it does not keep, why, and for how long.',
  lead: 'In short: we do not know where you go and do not want to. For your account and your bill we keep the following, and no more.',
  parts: [
    {
      heading: 'What we never keep',
      points: [
        'The addresses of the sites and services you open',
        'Your DNS queries',
        'The content of your traffic',
        'The network (IP) address of the device that connects to a VPN server',
      ],
    },
    {
      heading: 'What we keep',
      points: [...keptData.map((datum) => keptTexts[datum]), ofNetworks],
    },
    {
      heading: 'E-mail',
      paragraphs: [
        `Your address is used for sign-in codes, to verify it, to recover a password and for news about this account. Codes are good for ${n(verificationCode.lifetimeSeconds / 60)} minutes; they are not stored themselves, only a fingerprint that cannot be turned back.`,
      ],
    },
    {
      heading: 'Cookies and browser storage',
      paragraphs: [
        'Cookies are for signing in and for the language only. Theme and automatic connection stay in your browser; the address that a code was sent to and the page you came from stay until you close the tab. The last figures of the dashboard and the files of configs that you saved on this device stay too, so that they open without internet, and are deleted when you sign out. The program of the panel and the guides stay as well; nothing of you is in them. Our pages hold no trackers, no advertising and no requests to other sites.',
      ],
      points: cookiePoints('en'),
    },
    {
      heading: 'Who sees it',
      paragraphs: [
        'The mail carrier sees your address and the text of the mail. We sell data to nobody and use none for advertising.',
        'If somebody complains about a connection that is still open or has just ended, our staff can ask the server at that moment which config it belongs to. Nothing of the connection itself is kept; that the question was asked and which config it was is kept, and you are told.',
      ],
      points: recipientPoints('en'),
    },
    {
      heading: 'For how long',
      points: [
        ...keptPoints(kept, 'en'),
        'Account, configs, passkeys and settings: as long as you have the account',
        'Money, documents, and the bytes of each config per hour: for good, so that the books are right; once the account is deleted, without a name, an address or a number',
      ],
    },
    {
      heading: 'After the account is deleted',
      paragraphs: [
        'Name, address, phone number, picture, sign-ins, passkeys, notifications, connection times and the names of your configs are deleted at once. One mark stays: a fingerprint, which cannot be turned back, of the mailbox and the phone number that had a free trial, so that each has one. It does not say whose account it was. An account that owes money because the bank took a payment back leaves such a mark too, until nothing is owed.',
      ],
    },
    {
      heading: 'Your rights',
      paragraphs: [
        'You see your data in the panel. To erase the account, ask in the panel or through the contact page.',
      ],
    },
  ],
};
