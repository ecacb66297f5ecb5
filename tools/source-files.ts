import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** TypeScript files by their path from the root, with forward slashes, in order of path. */
export type Sources = ReadonlyMap<string, string>

export type Import = {
  /** The file that is imported, as a path from the root. */
  target: string
  /** True if the import does not exist at run time. */
  isType: boolean
  /** Counted from 1. */
  line: number
}

const FOLDERS = ['server', 'web', 'test', 'tools', 'bench']

/** Statements at the start of a line, `import('./…')` anywhere but in a comment; only files of the project. */
const IMPORTS = [
  /^(?:import|export)\s+(?:type\s+)?[\w*{][^'"]*?\bfrom\s*['"]([.#][^'"]+)['"]/gm,
  /^import\s*['"]([.#][^'"]+)['"]/gm,
  /^(?!\s*(?:\/\/|\*|\/\*)).*?\bimport\(\s*['"]([.#][^'"]+)['"]\s*\)/gm,
]

/** Returns every file of the project whose name matches; by default, the TypeScript files. */
export async function readSources(root: string, names = /\.tsx?$/): Promise<Sources> {
  const entries = await readdir(root, { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory() && FOLDERS.includes(entry.name))
  const listings = await Promise.all(
    folders.map((folder) => readdir(path.join(root, folder.name), { recursive: true, withFileTypes: true })),
  )
  const files = listings
    .flat()
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((file) => !/^[^/]+\/dist[./]/.test(file))
    .sort()
  const texts = await Promise.all(files.map((file) => readFile(path.join(root, file), 'utf8')))
  return new Map(files.map((file, index) => [file, texts[index]!]))
}

/** Returns the imports of a file from the project itself, types included, in order of line. */
export function importsOf(file: string, text: string): Import[] {
  return IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)])
    .map((match) => ({
      target: match[1]!.startsWith('#')
        ? `server/${match[1]!.slice(1)}`
        : path.posix.join(path.posix.dirname(file), match[1]!),
      isType: /^(?:import|export)\s+type\b/.test(match[0]),
      line: text.slice(0, match.index).split('\n').length,
    }))
    .sort((a, b) => a.line - b.line)
}
