import { describe, expect, it } from 'vitest';
import { generateJsonl, generateRows } from './rows.ts';

describe('generated rows', () => {
  it('are the same for the same seed, some 5 KB each, and cover every environment', () => {
    const rows = [...generateRows(1500, 130, 7)];
    expect([...generateRows(3, 130, 7)]).toEqual(rows.slice(0, 3));
    expect([...generateRows(3, 130, 8)]).not.toEqual(rows.slice(0, 3));
    expect(new Set(rows.map((row) => row.image_name)).size).toBe(130);
    expect(new Set(rows.map((row) => row.instance_id)).size).toBe(rows.length);
    const text = [...generateJsonl(1500, 130, 7)].join('');
    expect(text.length / rows.length).toBeGreaterThan(4000);
    expect(text.length / rows.length).toBeLessThan(6000);
    expect(JSON.parse(text.slice(0, text.indexOf('\n')))).toEqual(rows[0]);
  });
});
