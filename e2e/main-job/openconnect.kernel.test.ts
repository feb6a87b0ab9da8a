import { describeMainJob } from './journey.ts';

describeMainJob('openconnect');
