import { readFileSync } from 'node:fs'
import { readEnvironmentFile } from '#lib/environment-file.ts'
import { SECRETS, settingDeclarations } from './declarations.ts'

// Variables that are no settings, although they were probably meant to be.

/** Variables of other programs, which a file of settings may contain as well. */
const OTHER_VARIABLES =
  /^(?:NODE_|NODE$|UV_|OTEL_|AWS_|PG[A-Z]+$|LC_|LANG$|TZ$|PATH$|HOME$|TMPDIR$|SSL_CERT_|MALLOC_|XDG_|(?:https?|no|all)_proxy$|PARLEY_)/i

/** Returns the variables that look like misspelled settings, and all unknown ones of the settings file. */
export function findUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): { setting: string; problem: string }[] {
  const settingsFile = environment['PARLEY_ENV_FILE']
  const inFile = settingsFile ? readEnvironmentFile(settingsFile) : new Map<string, string>()
  const signIn = environment['SIGN_IN_FILE']
  const secretsOfSignIn = signIn && inFile.size > 0 ? readIfPossible(signIn) : ''
  return Object.entries(environment).flatMap(([setting, value]) => {
    if (value === undefined || value === '' || isKnownVariable(setting)) return []
    if (setting.endsWith('_FILE') && setting.slice(0, -'_FILE'.length) in settingDeclarations)
      return [{ setting, problem: 'has no effect: this setting cannot be in a file of its own' }]
    const intended = findIntendedName(setting)
    if (intended !== null)
      return [{ setting, problem: `is not a setting, and has no effect. Did you mean ${intended}?` }]
    if (setting === 'NODE_OPTIONS' && inFile.has(setting))
      return [
        {
          setting,
          problem: 'has no effect in this file, which is read after the start of Node.js: give it to the service',
        },
      ]
    const isForOthers = OTHER_VARIABLES.test(setting) || secretsOfSignIn.includes(`"${setting}"`)
    return inFile.has(setting) && !isForOthers ? [{ setting, problem: 'is not a setting, and has no effect' }] : []
  })
}

const isKnownVariable = (name: string) =>
  name in settingDeclarations || (name.endsWith('_FILE') && SECRETS.has(name.slice(0, -'_FILE'.length)))

function readIfPossible(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Returns the setting that someone probably meant by an unknown variable, or null. Short names prove nothing. */
function findIntendedName(variable: string): string | null {
  const name = variable.toUpperCase().replace(/^PARLEY_/, '')
  const known = [...Object.keys(settingDeclarations), ...[...SECRETS].map((secret) => `${secret}_FILE`)]
  const isPart = (one: string) => name.split('_').length > 1 && one.startsWith(`${name}_`)
  const isNear = (one: string) => {
    const most = Math.floor(one.length / 6)
    // At least the difference of the lengths. The start compares all variables of the environment.
    return Math.abs(name.length - one.length) <= most && distance(name, one) <= most
  }
  return known.find((one) => one === name) ?? known.find(isNear) ?? known.find(isPart) ?? null
}

/** Returns how many letters must be inserted, deleted, replaced or swapped with the next one to turn a name into another. */
function distance(from: string, to: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = last[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1)
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const swapped = isSwap ? beforeLast[column - 2]! + 1 : Infinity
      current.push(Math.min(last[column]! + 1, current[column - 1]! + 1, replaced, swapped))
    }
    ;[beforeLast, last] = [last, current]
  }
  return last[to.length]!
}
