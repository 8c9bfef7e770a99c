import { InvalidArgumentError } from 'commander'

/** Parser of a command-line option that names a file or folder: an empty name is a mistake (an unset variable), no default. */
export function pathName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It names no file or folder.')
  if (text.includes('\0')) throw new InvalidArgumentError('No file name can hold a null character.')
  return text
}

/** The same for an option or argument that takes several. */
export function pathNames(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), pathName(text)]
}
