import { defineConfig } from 'vite'
import server, { THREADS } from '#vite.config.ts'

/** The measured server is built like the production server, with the scripts of all its threads. */
// biome-ignore lint/style/noDefaultExport: Vite reads it so
export default defineConfig({
  ...server,
  build: {
    ...server.build,
    rolldownOptions: { ...server.build?.rolldownOptions, input: { server: 'bench/server.ts', ...THREADS } },
  },
})
