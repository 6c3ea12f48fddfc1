// The executable loads this file by require(), and only files may import modules.
import('./causeway.js');
