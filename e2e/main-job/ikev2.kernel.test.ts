import { describeMainJob } from './journey.ts';

describeMainJob('ikev2');
