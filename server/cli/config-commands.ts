import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import {
  describeSettings,
  inspectSettings,
  listProblems,
  readSettings,
  type SettingProblem,
  type Settings,
} from '#config.ts'
import { commandLine } from '#lib/process.ts'
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
      return [{ setting, problem: `cannot be read (${code}); it is "${file}"`, isFatal: true }]
    }
  })
}

/** Adds the commands that check and show the settings. They open no database. */
export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('check and show the settings of the server')

  config
    .command('check')
    .description('list everything that is wrong with the settings; exit code 1 if anything is')
    .addOption(jsonOption())
    .action(({ json }: { json: boolean }) => {
      const { settings, problems: found } = inspectSettings()
      const problems = settings === null ? found : [...found, ...findUnreadableFiles(settings)]
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
