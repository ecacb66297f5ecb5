import { queryClient } from '../query-client.ts'

export const SNIPPETS_KEY = ['snippets'] as const

/** Makes screens that show saved snippets fetch them again. */
export function applySnippets(): void {
  void queryClient.invalidateQueries({ queryKey: SNIPPETS_KEY })
}
