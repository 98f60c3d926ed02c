"""Images: patches of a picture as tokens."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.shipped.shapes import GREYS as GREYS
from attention_core.shipped.shapes import SHAPES as SHAPES
from attention_core.shipped.shapes import SIZE as SIZE
from attention_core.shipped.vision import GRID as GRID
from attention_core.shipped.vision import HEADS as HEADS
from attention_core.shipped.vision import LAYERS as LAYERS
from attention_core.shipped.vision import PATCHES as PATCHES
from attention_core.studies.images.claims import CLAIMS
from attention_core.studies.images.convolution import FARTHEST as FARTHEST
from attention_core.studies.images.file import FORMATS as FORMATS
from attention_core.studies.images.file import MAX_BYTES as MAX_BYTES
from attention_core.studies.images.file import PictureError as PictureError
from attention_core.studies.images.file import read_picture as read_picture
from attention_core.studies.images.measure import PAIRS as PAIRS
from attention_core.studies.images.measure import ImagesResult as ImagesResult
from attention_core.studies.images.measure import run_images as run_images
from attention_core.studies.images.measure import steps_images as steps_images
from attention_core.studies.images.model import weights_file as weights_file
from attention_core.studies.images.pictures import digits_of as digits_of
from attention_core.studies.images.pictures import picture_of as picture_of
from attention_core.studies.images.settings import OWN as OWN
from attention_core.studies.images.settings import ImagesConfig as ImagesConfig
from attention_core.studies.images.snippet import SHORTEST as SHORTEST
from attention_core.studies.images.snippet import headline
from attention_core.studies.images.snippet import images_snippet as images_snippet

STUDY = Study(
    name="images",
    title=_("images"),
    place=16,
    config=ImagesConfig,
    snippet=images_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
