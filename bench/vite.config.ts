import { defineConfig } from 'vite'
import server from '../server/vite.config.ts'

/** The measured server is built like the production server. */
// biome-ignore lint/style/noDefaultExport: Vite reads it so
export default defineConfig({
  ...server,
  build: {
    ...server.build,
    rolldownOptions: {
      ...server.build?.rolldownOptions,
      input: { server: 'bench/server.ts', 'render-worker': 'server/platform/markdown/render-worker.ts' },
    },
  },
})
