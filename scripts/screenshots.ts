/** Makes the pictures of the dashboard in docs/images; with a folder, all of them there. Build first. */
import { ALL_PICTURES, PICTURES, takePictures } from '../test/support/browser/screenshots.ts';

const [folder] = process.argv.slice(2);
await takePictures(folder ?? 'docs/images', folder === undefined ? PICTURES : ALL_PICTURES);
