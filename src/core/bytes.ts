/** Bytes as a person reads them: `3.9 GiB`. */
export function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`
}
