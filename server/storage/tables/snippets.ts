import type { Generated } from 'kysely'

export type SnippetTables = {
  savedSnippets: { id: Generated<number>; userId: number; title: string; content: string; createdAt: number }
}
