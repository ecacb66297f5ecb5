import { defineConfig } from 'vite'

/** The scripts of the threads that the server starts. */
export const THREADS = {
  'render-worker': 'server/platform/markdown/render-worker.ts',
  'checkpoint-worker': 'server/platform/storage/sqlite/checkpoint-worker.ts',
}

// biome-ignore lint/style/noDefaultExport: Vite reads it so
export default defineConfig({
  clearScreen: false,
  // The packages of hundreds of files; all others stay where they are.
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
      // Beside each other, as the one that starts a thread looks for its script.
      output: { chunkFileNames: '[name].js' },
    },
  },
})
