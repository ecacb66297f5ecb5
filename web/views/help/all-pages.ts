import type { HelpPage } from '../../help-pages.ts'

const files = import.meta.glob<HelpPage>('./pages/*.md', { eager: true, import: 'default' })

/** All pages of the help, by name. */
export const HELP_PAGES: ReadonlyMap<string, HelpPage> = new Map(
  Object.entries(files).map(([path, page]) => [path.slice('./pages/'.length, -'.md'.length), page]),
)
