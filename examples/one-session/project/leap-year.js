export function isLeapYear(year) {
  return year % 4 === 0;
}
