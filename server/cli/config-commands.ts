import { lookup } from 'node:dns/promises'
import { constants, existsSync, readFileSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import {
  describeSettings,
  inspectSettings,
  listProblems,
  readSettings,
  type SettingProblem,
  type Settings,
} from '#config.ts'
import { accountName, commandLine } from '#lib/process.ts'
import { jsonOption, print } from './output.ts'

const ALL_VALID = `All settings are valid. \`${commandLine('config show --changed')}\` lists those that are set.`

/** Longer values are cut in the table. */
const MAX_WIDTH = 60

/** The exit code if a setting is wrong. */
const WRONG = 1

/** Settings that name files which the server reads at its start. */
const FILES = ['MAIL_IN_TLS_CERT', 'MAIL_IN_TLS_KEY', 'HTTPS_CERT', 'HTTPS_KEY'] as const

/** Returns the files of settings that cannot be read. */
export function findUnreadableFiles(settings: Settings): SettingProblem[] {
  return FILES.flatMap((setting) => {
    const file = settings[setting]
    if (file === '') return []
    try {
      readFileSync(file)
      return []
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return [
        {
          setting,
          problem: `cannot be read by the account ${accountName(process.getuid?.() ?? 0)} (${code}); it is "${file}"`,
          isFatal: true,
        },
      ]
    }
  })
}

/** Returns the settings with which a server cannot start here, as the account of this process. */
async function findUnusable(settings: Settings): Promise<SettingProblem[]> {
  const { DATA_DIR, LISTEN_HOST, DATABASE_URL } = settings
  const folder = resolve(DATA_DIR)
  const [denied, unresolved] = await Promise.all([
    DATABASE_URL === 'memory' ? null : findDenial(folder),
    lookup(LISTEN_HOST === '*' ? '0.0.0.0' : LISTEN_HOST).then(
      () => null,
      ({ code }: NodeJS.ErrnoException) => code,
    ),
  ])
  return [
    ...findUnreadableFiles(settings),
    ...(denied === null ? [] : [{ setting: 'DATA_DIR', problem: `${denied}; it is "${folder}"`, isFatal: true }]),
    ...(unresolved === null
      ? []
      : [
          {
            setting: 'LISTEN_HOST',
            problem: `must be an address of this machine, such as 0.0.0.0 for all; "${LISTEN_HOST}" has none (${unresolved})`,
            isFatal: true,
          },
        ]),
  ]
}

/** Returns why this account can neither use nor create the folder; null if it can. */
async function findDenial(folder: string): Promise<string | null> {
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  if (!(await stat(existing)).isDirectory()) return `${existing} is not a folder`
  const account = accountName(process.getuid?.() ?? 0)
  return access(existing, constants.W_OK | constants.X_OK).then(
    () => null,
    () =>
      existing === folder
        ? `the account ${account} may not write there`
        : `does not exist, and the account ${account} may not create it in ${existing}`,
  )
}

/** Adds the commands that check and show the settings. They open no database. */
export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('check and show the settings of the server')

  config
    .command('check')
    .description('list everything that is wrong with the settings; exit code 1 if anything is')
    .addOption(jsonOption())
    .action(async ({ json }: { json: boolean }) => {
      const { settings, problems: found } = inspectSettings()
      const problems = settings === null ? found : [...found, ...(await findUnusable(settings))]
      if (problems.length > 0) process.exitCode = WRONG
      const output = json ? JSON.stringify(problems.map(toJson)) : listProblems(problems) || ALL_VALID
      process.stdout.write(`${output}\n`)
    })

  config
    .command('show')
    .description('list the settings that are in force, without secrets, and where they come from')
    .option('--changed', 'only settings that differ from their defaults', false)
    .addOption(jsonOption())
    .action(({ changed, json }: { changed: boolean; json: boolean }) => {
      const all = describeSettings(readSettings())
      const rows = all.filter(({ isChanged }) => isChanged || !changed)
      if (json)
        return print(
          rows.map(({ isChanged: is_changed, ...row }) => ({ ...row, is_changed })),
          json,
        )
      return print(
        rows.map(({ setting, value, source, from }) => ({
          setting,
          value: value.length > MAX_WIDTH ? `${value.slice(0, MAX_WIDTH - 1)}…` : value,
          source: from === null ? source : `${source}: ${from}`,
        })),
        json,
      )
    })
}

const toJson = ({ setting, problem, isFatal }: SettingProblem) => ({ setting, problem, is_fatal: isFatal })
