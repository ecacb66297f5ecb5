import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '#lib/process.ts'
import { categories } from '../integration.ts'

// Programs that connect by a script, a plugin or a bridge instead of a webhook of their own. Each is a file in
// `recipes/`: a title, a few fields, and numbered steps in Markdown. `https://chat.example.com` in them stands for the
// address of the organization.

const fields = z.strictObject({
  category: z.enum(categories),
  summary: z.string().min(1),
  logo: z.string().regex(/^\S #[0-9a-f]{6}$/),
  /**
   * How the program gets the key of the bot: in a file for curl, as an email address with a key, or in a URL for messages in
   * the format of Slack.
   */
  connection: z.enum(['curl', 'key', 'slack']),
})

/** A program that connects by a script. */
export type Script = {
  readonly name: string
  readonly title: string
  readonly category: (typeof categories)[number]
  readonly summary: string
  readonly logo: { readonly letter: string; readonly color: string }
  readonly connection: z.output<typeof fields>['connection']
  /** The steps after the bot was created, as Markdown. */
  readonly steps: readonly string[]
}

const folder = join(projectRoot, 'server/integrations/scripts/recipes')

let cached: readonly Script[] | undefined

/** Returns all scripts. They are read at first use. */
export function findScripts(): readonly Script[] {
  cached ??= readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .map((file) => parseScript(file.slice(0, -'.md'.length), readFileSync(join(folder, file), 'utf8')))
  return cached
}

function parseScript(name: string, text: string): Script {
  const [heading = '', ...list] = text.split(/^\d+\. /m)
  const [title = '', ...given] = heading.trim().split('\n')
  const entries = given.map((line) => line.split(/: (.*)/, 2) as [string, string])
  const { logo, ...rest } = fields.parse(Object.fromEntries(entries))
  const [letter = '', color = ''] = logo.split(' ')
  return {
    ...{ name, title: title.replace(/^# /, ''), ...rest, logo: { letter, color } },
    // The lines of a step are indented by the width of its number.
    steps: list.map((step) => step.replace(/^ {3}/gm, '').trim()),
  }
}
