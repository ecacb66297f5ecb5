import { queryClient } from '../query-client.ts'

export const SNIPPETS_KEY = ['snippets'] as const

/** The texts that one keeps are not what they were; they are fetched anew where they are shown. */
export function applySnippets(): void {
  void queryClient.invalidateQueries({ queryKey: SNIPPETS_KEY })
}
