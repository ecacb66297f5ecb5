import { queryClient } from '../query-client.ts'

export const SNIPPETS_KEY = ['snippets'] as const

/** Fetches the saved snippets again if a screen shows them, or when a screen next needs them. */
export function applySnippets(): void {
  void queryClient.invalidateQueries({ queryKey: SNIPPETS_KEY })
}
