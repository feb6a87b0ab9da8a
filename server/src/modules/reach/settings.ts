import { limits } from '@raha/contract/limits.ts';
import { autonomousSystem } from '@raha/contract/shapes.ts';
import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

const name = z.string().check(z.minLength(1), z.maxLength(60), z.regex(/^\P{Cc}+$/u));
const network = (id: number, fa: string, en: string) => ({ id, fa, en });

/** The operators' networks whose reach is counted, with their names. None: it is not counted. */
export const reachNetworks = defineSetting(
  'reach.networks',
  z.array(z.object({ id: autonomousSystem, fa: name, en: name })).check(z.maxLength(limits.reach.maxNetworks)),
  [
    network(197_207, 'همراه اول', 'MCI'),
    network(44_244, 'ایرانسل', 'Irancell'),
    network(57_218, 'رایتل', 'Rightel'),
    network(58_224, 'مخابرات', 'TCI'),
    network(12_880, 'شرکت فناوری اطلاعات', 'ITC'),
    network(31_549, 'شاتل', 'Shatel'),
    network(43_754, 'آسیاتک', 'Asiatech'),
    network(16_322, 'پارس‌آنلاین', 'Pars Online'),
    network(50_810, 'مبین‌نت', 'MobinNet'),
    network(56_402, 'های‌وب', 'HiWeb'),
    network(49_100, 'پیشگامان', 'Pishgaman'),
    network(25_184, 'افرانت', 'Afranet'),
    network(42_337, 'رسپینا', 'Respina'),
    network(41_881, 'فن‌آوا', 'Fanava'),
    network(39_501, 'پرورش داده‌ها', 'Parvaresh Dadeha'),
  ],
);
