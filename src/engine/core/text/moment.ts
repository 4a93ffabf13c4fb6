/** Moments for people, in the time zone of this machine. Programs get them as ISO 8601 in UTC. */
import { sayDuration } from './duration.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;
const two = (value: number) => String(value).padStart(2, '0');

/** `14:03:09`. */
export function clockOf(time: number): string {
  const date = new Date(time);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `12 Nov 14:03`; with its year where that is not the year of `now`. */
export function dateOf(time: number, now: number): string {
  return `${dayOf(time, now)} ${clockOf(time).slice(0, 5)}`;
}

function dayOf(time: number, now: number): string {
  const date = new Date(time);
  const year = date.getFullYear() === new Date(now).getFullYear() ? '' : ` ${date.getFullYear()}`;
  return `${date.getDate()} ${MONTHS[date.getMonth()]}${year}`;
}

/** `14:03`, with its day when that is not today. */
export function momentOf(time: number, now: number): string {
  return isSameDay(time, now) ? clockOf(time).slice(0, 5) : dateOf(time, now);
}

/** `today 14:03 (2 min ago)`, `yesterday 14:03 (20 h 04 min ago)`, `12 Nov 14:03`. */
export function whenOf(time: number, now: number): string {
  const age = now - time;
  const clock = clockOf(time).slice(0, 5);
  const ago = age >= 0 && age < DAY_MS ? ` (${agoOf(age)})` : '';
  if (isSameDay(time, now)) return `today ${clock}${ago}`;
  if (age > 0 && isSameDay(time, yesterdayOf(now))) return `yesterday ${clock}${ago}`;
  return dateOf(time, now);
}

function agoOf(age: number): string {
  return age < 10_000 ? 'just now' : `${sayDuration(age)} ago`;
}

/** ` 5 Jan 14:03:09`: for lists of moments, with the same width for all of a year. */
export function stampOf(time: number, now: number): string {
  return `${dayOf(time, now).padStart(6)} ${clockOf(time)}`;
}

function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/** Days are not all 24 hours long. */
function yesterdayOf(now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1, 12).getTime();
}
