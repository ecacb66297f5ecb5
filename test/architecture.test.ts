import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { readSources } from '../tools/source-files.ts'

const ROOT = path.join(import.meta.dirname, '..')

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

/** A line of an index: the folders that it is about, and the names of files and folders in them. */
type IndexRow = { folders: string[]; names: string[] }

const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!)

/** Code that is a name of a file or folder, unlike `@all`, `/poll` and `has:link`. */
const isName = (code: string) => /^\w[\w./-]*$/.test(code)

/** Returns the rows of the indexes in ARCHITECTURE.md. */
function indexRows(): IndexRow[] {
  const [, ...indexes] = read('ARCHITECTURE.md').split(/^## Index: /m)
  return indexes.flatMap((index) => {
    const base = /^`(\w+)\/`/.exec(index)?.[1] ?? ''
    return [...index.matchAll(/^\| (`.*?`) \| (.*) \|$/gm)].map(([, first, second]) => ({
      folders: codeIn(first!).map((folder) => path.posix.join(base, folder)),
      names: codeIn(second!).filter(isName),
    }))
  })
}

const ENDINGS = ['', '.ts', '.tsx']

/** Returns the path of a name, below one of the folders or, if it is longer, below the root or the server; null if there is none. */
function find(folders: readonly string[], name: string): string | null {
  const places = name.includes('/') ? [...folders, '.', 'server', 'web'] : folders
  const paths = places.flatMap((place) => ENDINGS.map((ending) => path.posix.join(place, name + ending)))
  return paths.find((one) => existsSync(path.join(ROOT, one))) ?? null
}

test('the index names only files and folders that exist', () => {
  const unknown = indexRows().flatMap(({ folders, names }) => [
    ...folders.filter((folder) => !existsSync(path.join(ROOT, folder))),
    ...names.filter((name) => find(folders, name) === null).map((name) => `${folders.join(', ')}: ${name}`),
  ])

  assert.deepEqual(unknown, [])
})

test('the index has every folder with sources, every access file and every job', async () => {
  const files = [...(await readSources(ROOT)).keys()].filter((file) => !file.endsWith('.test.ts'))
  const named = new Set(
    indexRows().flatMap(({ folders, names }) => [
      ...folders,
      ...names.flatMap((name) => find(folders, name)?.replace(/\/$/, '') ?? []),
    ]),
  )
  const covered = new Set([...named].flatMap((one) => [one, path.posix.dirname(one)]))
  // These contain a file for each endpoint, and for each kind of test.
  const isPart = (folder: string) => /\/(?:endpoints|operations)$|^(?:test|bench)\/.*\//.test(folder)
  const folders = new Set(files.map((file) => path.posix.dirname(file)))

  assert.deepEqual(
    [...folders].filter((folder) => !covered.has(folder) && !isPart(folder)),
    [],
  )
  assert.deepEqual(
    files.filter((file) => /^server\/.*\/(?:.*-)?(?:access|job)\.ts$/.test(file) && !named.has(file)),
    [],
  )
})

test('the guides for developers name only files that exist', () => {
  const pages = readdirSync(path.join(ROOT, 'docs/architecture')).map((page) => `docs/architecture/${page}`)
  const guides = ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...pages]
  const unknown = guides.flatMap((guide) =>
    codeIn(read(guide).split(/^## Index: /m)[0]!)
      .filter((code) => /^[a-z][\w.-]*(?:\/[\w.-]+)+$/.test(code))
      .filter((code) => find([], code) === null)
      .map((code) => `${guide}: ${code}`),
  )

  assert.deepEqual(unknown, [])
})
