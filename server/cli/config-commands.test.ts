import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../../test/processes/command.ts'
import { temporaryFolder } from '../../test/storage.ts'

/** Runs a command that prints JSON. */
async function inJson(words: readonly string[], settings: Record<string, string>) {
  const { code, output, complaint } = await runCommand([...words, '--json'], settings)
  assert.equal(complaint, '')
  return { code, rows: JSON.parse(output) as Record<string, unknown>[] }
}

test('all wrong settings are listed at once, with misspelled ones, those without effect, and missing files', async () => {
  const wrong = {
    PORT: 'http',
    LOG_LEVEL: '"info"',
    EXTRENAL_URL: 'https://chat.example.com',
    SMTP_URL: 'mailer:s3cret@mail',
  }
  const odd = { MAX_FILE_UPLOAD_SIZE: '10', MAIL_FROM_FILE: '/from', BACKUPS_KEPT: '3', MAIL_IN_TLS_CERT: '/none.pem' }

  const invalid = await inJson(['config', 'check'], wrong)
  const unusual = await inJson(['config', 'check'], { ...odd, MAIL_IN_TLS_KEY: '/none.pem' })

  assert.equal(invalid.code, 1)
  assert.deepEqual(
    invalid.rows.map(({ setting, is_fatal }) => [setting, is_fatal]),
    [
      ['PORT', true],
      ['SMTP_URL', true],
      ['LOG_LEVEL', true],
      ['EXTRENAL_URL', false],
    ],
  )
  assert.equal(invalid.rows.at(-1)?.['problem'], 'is not a setting, and has no effect. Did you mean EXTERNAL_URL?')
  assert.doesNotMatch(JSON.stringify(invalid.rows), /s3cret/)
  assert.equal(unusual.code, 1)
  assert.deepEqual(unusual.rows.map(({ setting }) => setting).sort(), [
    'BACKUPS_KEPT',
    'MAIL_FROM_FILE',
    'MAIL_IN_TLS_CERT',
    'MAIL_IN_TLS_CERT',
    'MAIL_IN_TLS_KEY',
    'MAX_FILE_UPLOAD_SIZE',
  ])
})

test('a folder of data that cannot be made, and an address that this machine does not know, are wrong', async () => {
  const folder = await temporaryFolder()
  writeFileSync(join(folder, 'file'), '')

  const { code, rows } = await inJson(['config', 'check'], {
    DATA_DIR: join(folder, 'file', 'data'),
    // The system refuses this name without asking a name server, which may not answer.
    LISTEN_HOST: 'parley..invalid',
  })

  assert.equal(code, 1)
  assert.deepEqual(rows, [
    {
      setting: 'DATA_DIR',
      problem: `${folder}/file is not a folder; it is "${folder}/file/data"`,
      is_fatal: true,
    },
    {
      setting: 'LISTEN_HOST',
      problem: 'must be an address of this machine, such as 0.0.0.0 for all; "parley..invalid" has none (ENOTFOUND)',
      is_fatal: true,
    },
  ])
})

test('the settings in force are shown with their source, and without secrets', async () => {
  const folder = await temporaryFolder()
  const [file, secret] = [join(folder, 'parley.env'), join(folder, 'secret-key')]
  writeFileSync(secret, 's'.repeat(40))
  writeFileSync(
    file,
    `DATA_DIR=${folder}\nSECRET_KEY_FILE=${secret}\nSMTP_URL=smtp://me:pa%23ss@mail.example.com:587\nPORT=1\nCOLOUR=red\n`,
  )
  const settings = { PORT: '8080', DATABASE_URL: 'postgres://parley@db/parley?password=hidden&sslmode=verify-full' }

  const changed = await inJson(['--settings-file', file, 'config', 'show', '--changed'], settings)
  const all = await inJson(['config', 'show'], { ...settings, PARLEY_ENV_FILE: file })
  const check = await runCommand(['config', 'check', '--settings-file', file], settings)

  assert.deepEqual(
    changed.rows.map(({ setting, value, source, from }) => [setting, value, source, from]),
    [
      ['PORT', '8080', 'environment', null],
      ['DATABASE_URL', 'postgres://parley@db/parley?password=***&sslmode=verify-full', 'environment', null],
      ['DATA_DIR', folder, 'settings file', file],
      ['SECRET_KEY', 'set', 'secret file', secret],
      ['SMTP_URL', 'smtp://me:***@mail.example.com:587', 'settings file', file],
    ],
  )
  const derived = all.rows.find(({ setting }) => setting === 'EXTERNAL_URL')
  assert.deepEqual(
    [derived?.['value'], derived?.['source'], derived?.['from']],
    ['http://localhost:8080', 'derived', 'http://localhost:PORT'],
  )
  assert.equal(check.code, 1)
  assert.match(check.output, /^Settings that do not prevent [^\n]+\n {2}COLOUR: is not a setting, and has no effect\n$/)
})

test('a settings file that is missing is reported', async () => {
  const { code, complaint } = await runCommand(['config', 'show', '--settings-file', '/none.env'], {})

  assert.equal(code, 1)
  assert.match(complaint, /^The file of settings \/none\.env cannot be read \(ENOENT\)\./)
})
