import { useMemo } from 'react';
import { encode } from 'uqr';

/** A QR code as one SVG path; always dark on white with its quiet zone, whatever the theme: cameras need that. */
export default function QrCode({ text, label, className = '' }: { text: string; label: string; className?: string }) {
  const { path, size } = useMemo(() => draw(text), [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className={`block bg-[#fff] rounded-md ${className}`}
    >
      <path d={path} fill="#0b1533" />
    </svg>
  );
}

function draw(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { ecc: 'L', border: 3 });
  let path = '';
  data.forEach((row, y) => {
    for (let x = 0; x < size; x++) {
      if (!row[x]) continue;
      const start = x;
      while (row[x + 1]) x++;
      path += `M${start} ${y}h${x - start + 1}v1h-${x - start + 1}z`;
    }
  });
  return { path, size };
}
