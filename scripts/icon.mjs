#!/usr/bin/env node
// Draws the icon of the plugins: a ring that is nearly closed, and a tick. node scripts/icon.mjs
import { writeFileSync } from 'node:fs';
import * as zlib from 'node:zlib';

const SIZE = 512;
const SAMPLES = 4;

/** The distance from a point to a line between two points. */
function fromLine([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

/** The colour at a point of a square from -1 to 1, with its opacity. */
function colourAt(x, y, ringColour) {
  const corner = 0.42;
  const edge = 0.96 - corner;
  const outside = Math.hypot(Math.max(0, Math.abs(x) - edge), Math.max(0, Math.abs(y) - edge));
  if (outside > corner) return [0, 0, 0, 0];
  const tick = Math.min(
    fromLine([x, y], [-0.27, 0.03], [-0.07, 0.23]),
    fromLine([x, y], [-0.07, 0.23], [0.3, -0.2]),
  );
  if (tick < 0.075) return [246, 244, 238, 255];
  const radius = Math.hypot(x, y);
  const gap = [-0.2, 0.62].map((turn) => [0.65 * Math.sin(turn), -0.65 * Math.cos(turn)]);
  const turn = Math.atan2(x, -y);
  const inRing = Math.abs(radius - 0.65) < 0.075 && !(turn > -0.2 && turn < 0.62);
  const atEnd = gap.some(([ex, ey]) => Math.hypot(x - ex, y - ey) < 0.075);
  if (inRing || atEnd) return [...ringColour, 255];
  const light = (y + 1) / 2;
  return [Math.round(38 - 16 * light), Math.round(44 - 18 * light), Math.round(62 - 22 * light), 255];
}

function pixels(ringColour) {
  const rows = Buffer.alloc(SIZE * (SIZE * 4 + 1));
  for (let row = 0; row < SIZE; row++)
    for (let column = 0; column < SIZE; column++) {
      const sum = [0, 0, 0, 0];
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
        const dx = ((sample % SAMPLES) + 0.5) / SAMPLES;
        const dy = (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES;
        const at = (part, step) => ((part + step) / SIZE) * 2 - 1;
        const [red, green, blue, opacity] = colourAt(at(column, dx), at(row, dy), ringColour);
        [red * opacity, green * opacity, blue * opacity, opacity].forEach((value, index) => {
          sum[index] += value;
        });
      }
      const place = row * (SIZE * 4 + 1) + 1 + column * 4;
      for (let index = 0; index < 3; index++)
        rows[place + index] = sum[3] === 0 ? 0 : Math.round(sum[index] / sum[3]);
      rows[place + 3] = Math.round(sum[3] / SAMPLES ** 2);
    }
  return rows;
}

/** Node before 22.2 has no crc32 of its own. */
function crc32(bytes) {
  if (zlib.crc32) return zlib.crc32(bytes);
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function png(ringColour) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  // Eight bits a channel, with opacity.
  header.set([8, 6, 0, 0, 0], 8);
  const data = zlib.deflateSync(pixels(ringColour), { level: 9 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

writeFileSync('plugin/icon.png', png([94, 201, 139]));
writeFileSync('plugin-ralph/icon.png', png([242, 183, 84]));
