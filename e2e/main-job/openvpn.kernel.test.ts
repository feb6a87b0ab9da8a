import { describeMainJob } from './journey.ts';

describeMainJob('openvpn');
