import { limits } from '@raha/contract/limits.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import { placeholder, when } from '@raha/contract/site-placeholders.ts';
import type { Prose } from './prose.ts';

const { node, payment } = limits;
const n = (value: number) => formatNumber(value, 'en');

export const englishTerms: Prose = {
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
        `${when('trial', `Each user has one trial: ${placeholder('passwordDays')} days when registering with a password, ${placeholder('passwordlessDays')} days when signing in without one, ${placeholder('trialTermsEnglish')}. ${placeholder('trialMeaningEnglish')}`)}${when('no-trial', 'There is no free trial at present.')}`,
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
        `So that nobody’s use slows others down, port 25 is closed and each config has at most ${n(node.flows.open)} connections open at once.`,
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
};
