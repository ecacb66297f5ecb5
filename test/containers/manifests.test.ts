import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { settingDeclarations } from '#config.ts'
import { programVersion } from '#lib/process.ts'

// The files with which containers are built and run: the Dockerfile and those of Compose.

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const composeFiles = readdirSync(root).filter((name) => /^compose.*\.yaml$/.test(name))

test('the image and the compose files have the version of package.json', () => {
  const versions = [
    /^ARG VERSION=(.*)$/m.exec(read('Dockerfile'))?.[1],
    ...composeFiles.map((file) => /image: \$\{PARLEY_IMAGE:-parley:(.*)\}/.exec(read(file))?.[1]),
  ]

  for (const version of versions) assert.equal(version, programVersion)
})

/** Names in the environment of our containers that are no settings. */
const OTHER_VARIABLES = ['PATH', 'PARLEY_COMMAND']

const namesIn = (text: string | undefined, pattern: RegExp) =>
  [...(text ?? '').matchAll(pattern)].map(([, name = '']) => name.replace(/_FILE$/, ''))

test('all settings in the environment of the containers exist', () => {
  const names = {
    Dockerfile: namesIn(/^ENV (?:.*\\\n)*.*$/m.exec(read('Dockerfile'))?.[0], /([A-Z_]+)=/g),
    // The first environment in these files is that of the server.
    ...Object.fromEntries(
      composeFiles.map((file) => {
        const [, , environment] = /^( +)environment:\n((?:\1 {2}.*\n)+)/m.exec(read(file)) ?? []
        return [file, namesIn(environment, /^ +([A-Z_]+):/gm)]
      }),
    ),
  }

  for (const [file, found] of Object.entries(names)) {
    assert.ok(found.length >= 3, file)
    const unknown = found.filter((name) => !OTHER_VARIABLES.includes(name) && !Object.hasOwn(settingDeclarations, name))
    assert.deepEqual(unknown, [], file)
  }
})
