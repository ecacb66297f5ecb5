import { defineConfig } from 'vite'

/** The scripts of the threads that the server starts. */
export const THREADS = {
  'render-worker': 'server/markdown/render-worker.ts',
  'mail-worker': 'server/mail-in/reading/mail-worker.ts',
  'checkpoint-worker': 'server/storage/sqlite/checkpoint-worker.ts',
}

// biome-ignore lint/style/noDefaultExport: Vite reads it so
export default defineConfig({
  clearScreen: false,
  // Packages that are loaded by name at run time stay in node_modules; tools/release/packages.ts lists them. Of these, only
  // `sharp` is imported. `pg` works without the other two, which are not installed.
  ssr: { noExternal: true, external: ['sharp', 'pg-native', 'pg-cloudflare'] },
  build: {
    ssr: true,
    target: 'node24',
    minify: false,
    sourcemap: true,
    license: { fileName: 'licenses.json' },
    rolldownOptions: {
      input: {
        parley: 'server/parley.ts',
        main: 'server/main.ts',
        cli: 'server/cli.ts',
        ...THREADS,
      },
      // All scripts are in one folder, because a script that starts a thread expects the script of the thread next to
      // itself.
      output: { chunkFileNames: '[name].js' },
    },
  },
})
