import type { Locale } from '@raha/contract/locale.ts';

/** Persian names of cities in which servers are rented, by the English name in lower case. */
const persianNames: Readonly<Record<string, string>> = {
  amsterdam: 'آمستردام',
  ankara: 'آنکارا',
  ashburn: 'اشبرن',
  athens: 'آتن',
  atlanta: 'آتلانتا',
  baku: 'باکو',
  barcelona: 'بارسلونا',
  belgrade: 'بلگراد',
  berlin: 'برلین',
  brussels: 'بروکسل',
  bucharest: 'بخارست',
  budapest: 'بوداپست',
  chicago: 'شیکاگو',
  copenhagen: 'کپنهاگ',
  dallas: 'دالاس',
  doha: 'دوحه',
  dubai: 'دبی',
  dublin: 'دوبلین',
  dusseldorf: 'دوسلدورف',
  falkenstein: 'فالکنشتاین',
  frankfurt: 'فرانکفورت',
  geneva: 'ژنو',
  hamburg: 'هامبورگ',
  helsinki: 'هلسینکی',
  'hong kong': 'هنگ‌کنگ',
  istanbul: 'استانبول',
  johannesburg: 'ژوهانسبورگ',
  'kuala lumpur': 'کوالالامپور',
  kyiv: 'کی‌یف',
  lisbon: 'لیسبون',
  london: 'لندن',
  'los angeles': 'لس‌آنجلس',
  luxembourg: 'لوکزامبورگ',
  madrid: 'مادرید',
  marseille: 'مارسی',
  miami: 'میامی',
  milan: 'میلان',
  montreal: 'مونترال',
  moscow: 'مسکو',
  mumbai: 'بمبئی',
  munich: 'مونیخ',
  muscat: 'مسقط',
  'new york': 'نیویورک',
  nuremberg: 'نورنبرگ',
  oslo: 'اسلو',
  paris: 'پاریس',
  prague: 'پراگ',
  riga: 'ریگا',
  rome: 'رم',
  'san francisco': 'سان‌فرانسیسکو',
  'sao paulo': 'سائوپائولو',
  seattle: 'سیاتل',
  seoul: 'سئول',
  singapore: 'سنگاپور',
  sofia: 'صوفیه',
  stockholm: 'استکهلم',
  strasbourg: 'استراسبورگ',
  sydney: 'سیدنی',
  tallinn: 'تالین',
  tbilisi: 'تفلیس',
  'tel aviv': 'تل‌آویو',
  tokyo: 'توکیو',
  toronto: 'تورنتو',
  vienna: 'وین',
  vilnius: 'ویلنیوس',
  warsaw: 'ورشو',
  yerevan: 'ایروان',
  zurich: 'زوریخ',
};

/** The name of a city in the reader's language; a city that the table lacks keeps the name that the operator gave it. */
export function cityName(city: string, locale: Locale): string {
  if (locale !== 'fa') return city;
  const key = city
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '');
  return persianNames[key] ?? city;
}
