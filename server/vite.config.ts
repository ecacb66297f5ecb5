import { defineConfig } from 'vite'

/** The scripts of the threads that the server starts. */
export const THREADS = {
  'render-worker': 'server/platform/markdown/render-worker.ts',
  'checkpoint-worker': 'server/platform/storage/sqlite/checkpoint-worker.ts',
}

// biome-ignore lint/style/noDefaultExport: Vite reads it so
export default defineConfig({
  clearScreen: false,
  // Packages with hundreds of files are bundled; all others stay where they are.
  ssr: { noExternal: ['kysely', 'zod'] },
  build: {
    ssr: true,
    target: 'node24',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input: {
        main: 'server/main.ts',
        cli: 'server/cli.ts',
        ...THREADS,
      },
      // Side by side, because a script that starts a thread looks for the other script there.
      output: { chunkFileNames: '[name].js' },
    },
  },
})
