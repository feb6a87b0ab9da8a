import { describeMainJob } from './journey.ts';

describeMainJob('wireguard');
