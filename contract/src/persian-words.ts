/** Whole numbers in Persian words, as amounts are written out on cheques and receipts. */
const ones = ['', 'یک', 'دو', 'سه', 'چهار', 'پنج', 'شش', 'هفت', 'هشت', 'نه'];
const teens = ['ده', 'یازده', 'دوازده', 'سیزده', 'چهارده', 'پانزده', 'شانزده', 'هفده', 'هجده', 'نوزده'];
const tens = ['', '', 'بیست', 'سی', 'چهل', 'پنجاه', 'شصت', 'هفتاد', 'هشتاد', 'نود'];
const hundreds = ['', 'صد', 'دویست', 'سیصد', 'چهارصد', 'پانصد', 'ششصد', 'هفتصد', 'هشتصد', 'نهصد'];
const scales = ['', 'هزار', 'میلیون', 'میلیارد', 'هزار میلیارد', 'میلیون میلیارد'];

/** «یک میلیون و دویست و پنجاه هزار»; takes whole numbers from 0 to 2⁵³−1. */
export function toPersianWords(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('toPersianWords takes whole numbers from 0');
  if (value === 0) return 'صفر';
  const parts: string[] = [];
  for (let scale = 0, rest = value; rest > 0; scale += 1, rest = Math.floor(rest / 1000)) {
    const group = rest % 1000;
    if (group === 0) continue;
    // A thousand is «هزار», a million «یک میلیون».
    const words = group === 1 && scale === 1 ? '' : threeDigits(group);
    parts.unshift(`${words} ${scales[scale]}`.trim());
  }
  return parts.join(' و ');
}

function threeDigits(value: number): string {
  const rest = value % 100;
  const words = [hundreds[Math.floor(value / 100)]];
  if (rest >= 10 && rest < 20) words.push(teens[rest - 10]);
  else words.push(tens[Math.floor(rest / 10)], ones[rest % 10]);
  return words.filter((word) => word).join(' و ');
}
