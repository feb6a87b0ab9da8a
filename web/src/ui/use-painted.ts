import { useEffect, useState } from 'react';
import { whenSettled } from './when-settled.ts';

/** True once the first screen stands: calls that nobody waits for begin then, behind those that fill it. */
export function usePainted(): boolean {
  const [painted, setPainted] = useState(false);
  useEffect(() => whenSettled(() => setPainted(true)), []);
  return painted;
}
