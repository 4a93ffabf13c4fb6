import { printStatusline } from '../cli/statusline.ts';

printStatusline();
