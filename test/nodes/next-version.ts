import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { NEWEST } from '#storage/migrations.ts'
import { temporaryFolder } from '../storage.ts'

const REPOSITORY = path.join(import.meta.dirname, '../..')

/**
 * Makes a program of the next version: the sources of this one, with one more migration, which runs `statements`. The
 * migration says which programs can use the database afterwards. Returns the path of its main script.
 */
export async function makeNextVersion(statements: readonly string[], oldestProgram?: number): Promise<string> {
  const root = path.join(await temporaryFolder(), 'next')
  await mkdir(root)
  await cp(path.join(REPOSITORY, 'package.json'), path.join(root, 'package.json'))
  for (const folder of ['node_modules', 'web']) await symlink(path.join(REPOSITORY, folder), path.join(root, folder))
  await cp(path.join(REPOSITORY, 'server'), path.join(root, 'server'), {
    recursive: true,
    filter: (source) => !/\.test\.ts$|\/server\/dist/.test(source),
  })
  const list = path.join(root, 'server/storage/migrations.ts')
  const text = await readFile(list, 'utf8')
  const migration = `{
    name: '${String(NEWEST + 1).padStart(4, '0')}-of-the-next-version',
    async apply({ run }) {
      for (const statement of ${JSON.stringify(statements)}) await run(statement)
    },
    ${oldestProgram === undefined ? '' : `oldestProgram: ${oldestProgram},`}
  }`
  await writeFile(list, text.replace('\n]\n\n', `\n  ${migration},\n]\n\n`))
  return path.join(root, 'server/main.ts')
}
